#include "grammar/matcher/left_recursion.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "grammar/matcher/determinize.h"
#include "grammar/matcher/merge_machines.h"
#include "grammar/matcher/tail_calls.h"

namespace sglrun::grammar {
namespace {

using Component = std::vector<MachineId>;

// The machine that an edge calls, -1 when it calls none.
MachineId Callee(const Symbol& symbol, const Machines& machines) {
  if (symbol.kind == Symbol::Kind::kCall) return symbol.id;
  if (symbol.kind != Symbol::Kind::kCount) return -1;
  return machines.counts[static_cast<std::size_t>(symbol.id)].body;
}

std::vector<MachineId> FirstCalls(const Machines& machines, MachineId m) {
  std::vector<MachineId> calls;
  for (const Machine::Edge& edge : machines.machines[static_cast<std::size_t>(m)].EdgesOf(0)) {
    const MachineId callee = Callee(edge.symbol, machines);
    if (callee >= 0) calls.push_back(callee);
  }
  return calls;
}

// Tarjan's algorithm with a stack of its own: strongly connected components of the first calls,
// callees before callers.
class Components {
 public:
  explicit Components(const Machines& machines)
      : machines_(machines),
        index_(machines.machines.size(), -1),
        low_(machines.machines.size(), 0),
        on_stack_(machines.machines.size(), false) {
    for (std::size_t m = 0; m < index_.size(); ++m) {
      if (index_[m] < 0) Search(static_cast<MachineId>(m));
    }
  }
  const std::vector<Component>& components() const { return components_; }

 private:
  struct Visit {
    MachineId machine;
    std::vector<MachineId> calls;
    std::size_t next = 0;
  };

  void Enter(MachineId m, std::vector<Visit>& path) {
    index_[static_cast<std::size_t>(m)] = low_[static_cast<std::size_t>(m)] = count_++;
    on_stack_[static_cast<std::size_t>(m)] = true;
    stack_.push_back(m);
    path.push_back({m, FirstCalls(machines_, m)});
  }

  void Search(MachineId start) {
    std::vector<Visit> path;
    Enter(start, path);
    while (!path.empty()) {
      Visit& visit = path.back();
      std::int32_t& low = low_[static_cast<std::size_t>(visit.machine)];
      if (visit.next < visit.calls.size()) {
        const auto callee = static_cast<std::size_t>(visit.calls[visit.next++]);
        if (index_[callee] < 0) {
          Enter(static_cast<MachineId>(callee), path);
        } else if (on_stack_[callee]) {
          low = std::min(low, index_[callee]);
        }
        continue;
      }
      const MachineId done = visit.machine;
      const std::int32_t done_low = low;
      path.pop_back();
      if (done_low == index_[static_cast<std::size_t>(done)]) Close(done);
      if (path.empty()) break;
      std::int32_t& parent = low_[static_cast<std::size_t>(path.back().machine)];
      parent = std::min(parent, done_low);
    }
  }

  void Close(MachineId root) {
    Component component;
    MachineId m = -1;
    do {
      m = stack_.back();
      stack_.pop_back();
      on_stack_[static_cast<std::size_t>(m)] = false;
      component.push_back(m);
    } while (m != root);
    components_.push_back(std::move(component));
  }

  const Machines& machines_;
  std::vector<std::int32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<MachineId> stack_;
  std::int32_t count_ = 0;
  std::vector<Component> components_;
};

// Makes the first round of a counted repetition at a start a call, so that only calls recurse.
void PeelCounts(Machines& machines, MachineId m) {
  const Machine& machine = machines.machines[static_cast<std::size_t>(m)];
  auto middle = static_cast<std::int32_t>(machine.state_count());  // states after first rounds
  Machine peeled, behind;
  for (const Machine::Edge& edge : machine.EdgesOf(0)) {
    const Count* count = edge.symbol.kind == Symbol::Kind::kCount
                             ? &machines.counts[static_cast<std::size_t>(edge.symbol.id)]
                             : nullptr;
    if (count == nullptr || count->of != Count::Of::kMembers) {  // others are not left-recursive
      peeled.edges.push_back(edge);
      continue;
    }
    peeled.edges.push_back({Symbol::Of(Symbol::Kind::kCall, count->body), middle++});
    if (count->min <= 1) behind.edges.push_back({Symbol{}, edge.target});
    if (count->max != 1) {
      const Count rest{count->body, std::max<std::int64_t>(count->min - 1, 1),
                       count->max == kUnbounded ? kUnbounded : count->max - 1};
      behind.edges.push_back(
          {Symbol::Of(Symbol::Kind::kCount, machines.Intern(rest)), edge.target});
    }
    behind.EndState(false);
  }
  peeled.EndState(machine.accepting[0] != 0);
  const auto append = [&](const Machine& from, std::size_t state) {
    const auto edges = from.EdgesOf(state);
    peeled.edges.insert(peeled.edges.end(), edges.begin(), edges.end());
    peeled.EndState(from.accepting[state] != 0);
  };
  for (std::size_t s = 1; s < machine.state_count(); ++s) append(machine, s);
  for (std::size_t s = 0; s < behind.state_count(); ++s) append(behind, s);
  machines.machines[static_cast<std::size_t>(m)] = std::move(peeled);
}

// The left-corner transform of one component. A member of `goal` begins with something that no
// member of the component is called for: a first edge of some machine of the component. From there
// the walk goes through that machine; when it has a member B, then either B was the goal, or B was
// what a machine of the component began with, and the walk continues after that first call.
class LeftCorners {
 public:
  LeftCorners(const Machines& machines, const Component& component)
      : machines_(machines), component_(component) {
    for (const MachineId m : component) {
      base_[m] = states_;
      states_ +=
          static_cast<std::int32_t>(machines.machines[static_cast<std::size_t>(m)].state_count());
    }
  }
  std::int64_t size() const { return states_; }

  Sketch SketchOf(MachineId goal) const {
    Sketch sketch;  // 0 is the start
    sketch.AddStates(static_cast<std::size_t>(states_));
    for (const MachineId m : component_) {
      const Machine& machine = machines_.machines[static_cast<std::size_t>(m)];
      for (std::size_t s = 0; s < machine.state_count(); ++s) {
        const std::int32_t at = s == 0 ? 0 : At(m, static_cast<std::int32_t>(s));
        for (const Machine::Edge& edge : machine.EdgesOf(s)) {
          if (s == 0 && Recurses(edge)) {
            ForEachEnd(edge.symbol.id, [&](std::int32_t end) {
              sketch.AddEdge(end, Symbol{}, At(m, edge.target));
            });
          } else {
            sketch.AddEdge(at, edge.symbol, At(m, edge.target));
          }
        }
      }
    }
    ForEachEnd(goal, [&](std::int32_t end) { sketch.accepting.push_back(end); });
    return sketch;
  }

 private:
  std::int32_t At(MachineId m, std::int32_t state) const { return 1 + base_.at(m) + state; }
  bool Recurses(const Machine::Edge& edge) const {
    return edge.symbol.kind == Symbol::Kind::kCall && base_.contains(edge.symbol.id);
  }
  template <class Visit>
  void ForEachEnd(MachineId m, Visit visit) const {
    const Machine& machine = machines_.machines[static_cast<std::size_t>(m)];
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      if (machine.accepting[s] != 0) visit(At(m, static_cast<std::int32_t>(s)));
    }
  }

  const Machines& machines_;
  const Component& component_;
  std::map<MachineId, std::int32_t> base_;
  std::int32_t states_ = 0;
};

Result<void, GrammarError> Rewrite(Machines& machines, const Component& component, Budget& budget) {
  for (const MachineId m : component) PeelCounts(machines, m);
  const LeftCorners corners(machines, component);
  const std::int64_t states = corners.size() * static_cast<std::int64_t>(component.size());
  if (states > budget.limits().automaton_states) {
    return GrammarError{Verdict::kTooLarge, "left recursion through " +
                                                std::to_string(component.size()) + " rules needs " +
                                                std::to_string(states) +
                                                " automaton states, the limit is " +
                                                std::to_string(budget.limits().automaton_states)};
  }
  std::vector<Machine> rewritten;
  for (const MachineId m : component) {
    SGLRUN_ASSIGN_OR_RETURN(Machine machine, Determinize(corners.SketchOf(m), budget));
    rewritten.push_back(std::move(machine));
  }
  for (std::size_t i = 0; i < component.size(); ++i) {
    machines.machines[static_cast<std::size_t>(component[i])] = std::move(rewritten[i]);
  }
  return {};
}

// Only what the root uses, callers of first calls before their callees.
void KeepReachable(Machines& machines) {
  std::vector<bool> used(machines.machines.size(), false);
  std::vector<MachineId> todo;
  const auto use = [&](MachineId m) {
    if (m < 0 || used[static_cast<std::size_t>(m)]) return;
    used[static_cast<std::size_t>(m)] = true;
    todo.push_back(m);
  };
  use(machines.root);
  while (!todo.empty()) {
    const Machine& machine = machines.machines[static_cast<std::size_t>(todo.back())];
    todo.pop_back();
    for (const Machine::Edge& edge : machine.edges) use(Callee(edge.symbol, machines));
  }
  std::vector<MachineId> names(machines.machines.size(), -1);
  std::size_t count = 0;
  const Components order(machines);
  for (auto at = order.components().rbegin(); at != order.components().rend(); ++at) {
    for (const MachineId m : *at) {
      if (used[static_cast<std::size_t>(m)]) {
        names[static_cast<std::size_t>(m)] = static_cast<MachineId>(count++);
      }
    }
  }
  RenameMachines(machines, names, count);
}

bool IsRecursive(const Machines& machines, const Component& component) {
  if (component.size() > 1) return true;
  const std::vector<MachineId> calls = FirstCalls(machines, component[0]);
  return std::find(calls.begin(), calls.end(), component[0]) != calls.end();
}

}  // namespace

Result<void, GrammarError> RemoveLeftRecursion(Machines& machines, Budget& budget) {
  SGLRUN_RETURN_IF_ERROR(MergeEqualMachines(machines, budget));
  const std::vector<Component> components = Components(machines).components();
  bool rewritten = false;
  for (const Component& component : components) {
    if (!IsRecursive(machines, component)) continue;
    SGLRUN_RETURN_IF_ERROR(Rewrite(machines, component, budget));
    rewritten = true;
  }
  SGLRUN_ASSIGN_OR_RETURN(const bool looped, LoopTailCalls(machines, budget));
  if (rewritten || looped) SGLRUN_RETURN_IF_ERROR(MergeEqualMachines(machines, budget));
  KeepReachable(machines);
  return {};
}

}  // namespace sglrun::grammar
