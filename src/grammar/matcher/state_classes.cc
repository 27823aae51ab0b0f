#include "grammar/matcher/state_classes.h"

#include "grammar/matcher/reduce.h"

namespace sglrun::grammar {

Machine Quotient(const Machine& machine, std::vector<std::int32_t>& classes,
                 std::size_t class_count) {
  std::vector<std::int32_t> numbers(class_count, -1);
  std::vector<std::size_t> firsts;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    std::int32_t& number = numbers[U(classes[s])];
    if (number < 0) {
      number = static_cast<std::int32_t>(firsts.size());
      firsts.push_back(s);
    }
    classes[s] = number;
  }
  Machine result;
  result.edges.reserve(machine.edges.size());
  for (const std::size_t s : firsts) {
    const std::size_t from = result.edges.size();
    for (const Machine::Edge& edge : machine.EdgesOf(s)) {
      result.edges.push_back({edge.symbol, classes[U(edge.target)]});
    }
    JoinFrom(from, result.edges);
    result.EndState(machine.accepting[s] != 0);
  }
  return result;
}

}  // namespace sglrun::grammar
