#include "grammar/automaton/class_table.h"

#include <algorithm>

namespace sglrun::grammar {

LabelledDfa Label(const Dfa& dfa, Labels& labels) {
  LabelledDfa out;
  std::vector<Dfa::Edge> edges;
  std::vector<SymbolRange> ranges;
  for (const Dfa::State& state : dfa.states) {
    edges = state.edges;
    std::ranges::stable_sort(edges, {}, &Dfa::Edge::target);
    for (std::size_t i = 0; i < edges.size();) {
      ranges.clear();
      const std::int32_t target = edges[i].target;
      for (; i < edges.size() && edges[i].target == target; ++i) {
        ranges.push_back({edges[i].first, edges[i].last});
      }
      out.edges.push_back({labels.Intern(ranges), target});
    }
    out.begin.push_back(out.edges.size());
    out.accepting.push_back(state.accepting);
  }
  return out;
}

std::optional<ClassTable> Tabulate(const LabelledDfa& dfa, const Alphabet& alphabet, Work& work) {
  ClassTable table;
  for (std::size_t state = 0; state < dfa.accepting.size(); ++state) {
    for (std::size_t i = dfa.begin[state]; i < dfa.begin[state + 1]; ++i) {
      for (const ClassId c : alphabet.ClassesOf(dfa.edges[i].label)) {
        table.cells.push_back({c, dfa.edges[i].target});
      }
    }
    const auto row = table.cells.begin() + static_cast<std::ptrdiff_t>(table.begin.back());
    std::sort(row, table.cells.end(), [](const ClassTable::Cell& a, const ClassTable::Cell& b) {
      return a.symbol < b.symbol;
    });
    table.EndRow(dfa.accepting[state]);
    const std::size_t cells = table.begin[state + 1] - table.begin[state];
    if (!work.Step(1 + cells) || !work.HasMemoryFor(table.cells.size())) return std::nullopt;
  }
  return table;
}

}  // namespace sglrun::grammar
