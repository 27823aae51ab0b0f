#include "grammar/automaton/state_pool.h"

#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

constexpr std::size_t kNumbersPerEdge = 3;

}  // namespace

void StatePool::AddEdge(Content& content, std::uint32_t first, std::uint32_t last,
                        std::int32_t target) {
  const auto from = static_cast<std::int32_t>(first), to = static_cast<std::int32_t>(last);
  const std::size_t size = content.size();
  if (size > 1 && content[size - 1] == target && content[size - 2] + 1 == from) {
    content[size - 2] = to;
  } else {
    content.insert(content.end(), {from, to, target});
  }
}

Dfa StatePool::Spelled(std::int32_t root) const {
  std::vector<std::int32_t> number(U(states_.size()), -1), order{root};
  number[U(root)] = 0;
  Dfa dfa;
  dfa.states.reserve(number.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto content = states_[order[i]];
    Dfa::State& state = dfa.states.emplace_back();
    state.accepting = content.front() != 0;
    state.edges.reserve(content.size() / kNumbersPerEdge);
    for (std::size_t at = 1; at < content.size(); at += kNumbersPerEdge) {
      std::int32_t& target = number[U(content[at + 2])];
      if (target < 0) {
        target = static_cast<std::int32_t>(order.size());
        order.push_back(content[at + 2]);
      }
      state.edges.push_back({static_cast<std::uint32_t>(content[at]),
                             static_cast<std::uint32_t>(content[at + 1]), target});
    }
  }
  return dfa;
}

}  // namespace sglrun::grammar
