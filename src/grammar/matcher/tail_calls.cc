#include "grammar/matcher/tail_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "grammar/matcher/determinize.h"

namespace sglrun::grammar {
namespace {

bool HasEdge(std::span<const Machine::Edge> edges, const Machine::Edge& wanted) {
  return std::any_of(edges.begin(), edges.end(), [&](const Machine::Edge& edge) {
    if (edge.target != wanted.target || edge.symbol.kind != wanted.symbol.kind) return false;
    return edge.symbol.id == wanted.symbol.id && edge.symbol.first <= wanted.symbol.first &&
           edge.symbol.last >= wanted.symbol.last;
  });
}

// Whether a member M and then what `end` still takes make a member again: so it is where every
// state that a member can end in takes all that `end` does. Then a call of M that leads to `end`
// spells just the members, and may as well be the beginning of the machine.
// `allowance`: of comparisons; without it calls just stay calls.
bool AddsNothing(const Machine& machine, std::size_t end, std::int64_t& allowance) {
  if (machine.accepting[end] == 0) return false;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    const std::size_t pairs = machine.EdgesOf(s).size() * machine.EdgesOf(end).size();
    allowance -= 1 + (machine.accepting[s] != 0 ? static_cast<std::int64_t>(pairs) : 0);
    if (allowance < 0) return false;
    if (machine.accepting[s] == 0) continue;
    for (const Machine::Edge& edge : machine.EdgesOf(end)) {
      if (!HasEdge(machine.EdgesOf(s), edge)) return false;
    }
  }
  return true;
}

// The machine with such calls drawn as loops; nothing when it has none.
std::optional<Sketch> WithLoops(const Machine& machine, MachineId self, std::int64_t& allowance) {
  constexpr std::int32_t kStart = 0;
  const auto is_call = [&](const Machine::Edge& edge) {
    return edge.symbol.kind == Symbol::Kind::kCall && edge.symbol.id == self;
  };
  if (std::none_of(machine.edges.begin(), machine.edges.end(), is_call)) return std::nullopt;
  Sketch sketch;
  sketch.AddStates(machine.state_count() - 1);
  bool looped = false;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    const auto from = static_cast<std::int32_t>(s);
    if (machine.accepting[s] != 0) sketch.accepting.push_back(from);
    for (const Machine::Edge& edge : machine.EdgesOf(s)) {
      const bool loops = is_call(edge) && from != kStart &&
                         AddsNothing(machine, static_cast<std::size_t>(edge.target), allowance);
      sketch.AddEdge(from, loops ? Symbol{} : edge.symbol, loops ? kStart : edge.target);
      looped |= loops;
    }
  }
  if (!looped) return std::nullopt;
  return sketch;
}

}  // namespace

Result<bool, GrammarError> LoopTailCalls(Machines& machines, Budget& budget) {
  std::int64_t allowance = 20'000'000;
  bool changed = false;
  for (std::size_t m = 0; m < machines.machines.size(); ++m) {
    const auto sketch = WithLoops(machines.machines[m], static_cast<MachineId>(m), allowance);
    if (!sketch) continue;
    SGLRUN_RETURN_IF_ERROR(budget.Spend("turning recursion into loops"));
    SGLRUN_ASSIGN_OR_RETURN(machines.machines[m], Determinize(*sketch, budget));
    changed = true;
  }
  return changed;
}

}  // namespace sglrun::grammar
