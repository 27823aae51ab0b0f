// Minimisation of automata without loops: states are created from the end, and equal ones are
// shared. Bounded numbers, enums and bounded patterns are of this kind.
#include <utility>

#include "grammar/automaton/class_table.h"
#include "grammar/automaton/state_pool.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {

std::optional<Dfa> MinimizeWithoutLoops(const Dfa& dfa, Work& work) {
  constexpr std::int32_t kUnknown = -1, kOnPath = -2, kDead = -3;
  if (dfa.states.empty()) return Dfa{};
  struct Visit {
    std::size_t state, edge;
  };
  StatePool pool;
  StatePool::Content content;
  std::vector<std::int32_t> ids(dfa.states.size(), kUnknown);
  std::vector<Visit> path{{0, 0}};
  ids[0] = kOnPath;
  while (!path.empty()) {
    Visit& visit = path.back();
    const Dfa::State& state = dfa.states[visit.state];
    if (visit.edge < state.edges.size()) {
      const std::size_t target = U(state.edges[visit.edge++].target);
      if (ids[target] == kOnPath) return std::nullopt;
      if (ids[target] != kUnknown) continue;
      ids[target] = kOnPath;
      path.push_back({target, 0});
      continue;
    }
    StatePool::Start(content, state.accepting);
    for (const Dfa::Edge& edge : state.edges) {
      const std::int32_t target = ids[U(edge.target)];
      if (target != kDead) StatePool::AddEdge(content, edge.first, edge.last, target);
    }
    const bool dead = !state.accepting && content.size() == 1;
    ids[visit.state] = dead ? kDead : pool.Intern(content);
    path.pop_back();
    if (!work.Step(1 + state.edges.size()) || !work.HasMemoryFor(pool.numbers())) {
      return std::nullopt;  // the longer way says so
    }
  }
  return ids[0] == kDead ? Dfa{} : pool.Spelled(ids[0]);
}

}  // namespace sglrun::grammar
