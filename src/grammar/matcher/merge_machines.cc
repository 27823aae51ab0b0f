#include "grammar/matcher/merge_machines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "grammar/automaton/sequence_pool.h"

namespace sglrun::grammar {
namespace {

// What machines say apart from whom they call, and their calls. Merging looks at all machines again
// and again; only the calls change what it sees.
class Calls {
 public:
  explicit Calls(const Machines& machines) {
    std::map<Count, std::int32_t> bounds;
    const auto bounds_of = [&](const Count& count) {
      const auto next = static_cast<std::int32_t>(bounds.size()) + 1;
      Count alone = count;
      alone.body = 0;
      return bounds.emplace(alone, next).first->second;
    };
    std::unordered_map<std::uint64_t, int> of_size;
    for (const Machine& machine : machines.machines) ++of_size[SizeOf(machine)];
    SequencePool contents;
    std::vector<std::int32_t> content;
    for (std::size_t m = 0; m < machines.machines.size(); ++m) {
      const Machine& machine = machines.machines[m];
      const bool alone = of_size[SizeOf(machine)] == 1;  // then it is like none
      content.clear();
      if (alone) content = {kAlone, static_cast<std::int32_t>(m)};
      for (std::size_t s = 0; s < machine.state_count(); ++s) {
        const auto state = static_cast<std::int32_t>(s);
        if (!alone) content.push_back(machine.accepting[s] != 0 ? kAccepts : kGoesOn);
        const auto edges = machine.EdgesOf(s);
        for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
          const Symbol& symbol = edge->symbol;
          if (alone && symbol.kind == Symbol::Kind::kBytes) break;  // they come first
          if (symbol.kind == Symbol::Kind::kCall) {
            calls_.push_back({state, 0, symbol.id, edge->target});
          } else if (symbol.kind == Symbol::Kind::kCount) {
            const Count& count = machines.counts[static_cast<std::size_t>(symbol.id)];
            calls_.push_back({state, bounds_of(count), count.body, edge->target});
          } else if (!alone) {
            content.push_back(static_cast<std::int32_t>(symbol.kind) << 16 | symbol.first << 8 |
                              symbol.last);
            content.push_back(symbol.id);
            content.push_back(edge->target);
          }
        }
      }
      begin_.push_back(calls_.size());
      classes_.push_back(contents.Intern(content));
    }
    class_count_ = contents.size();
  }

  // By machine: equal for those that differ at most in whom they call.
  const std::vector<MachineId>& classes() const { return classes_; }
  std::int32_t class_count() const { return class_count_; }

  // A machine's class and its calls, with classes in place of machines.
  void Describe(std::size_t machine, const std::vector<MachineId>& classes,
                std::vector<std::int32_t>& out) {
    sorted_.assign(calls_.begin() + static_cast<std::ptrdiff_t>(begin_[machine]),
                   calls_.begin() + static_cast<std::ptrdiff_t>(begin_[machine + 1]));
    for (Call& call : sorted_) call[kCallee] = classes[static_cast<std::size_t>(call[kCallee])];
    // Numbers decided the order before; classes decide it now.
    if (!std::is_sorted(sorted_.begin(), sorted_.end())) std::sort(sorted_.begin(), sorted_.end());
    out.assign(1, classes[machine]);
    for (const Call& call : sorted_) out.insert(out.end(), call.begin(), call.end());
  }

 private:
  // What a state or a machine begins with in its content.
  static constexpr std::int32_t kAccepts = -1, kGoesOn = -2, kAlone = -3;

  static std::uint64_t SizeOf(const Machine& machine) {
    return std::uint64_t{machine.state_count()} << 32 | machine.edges.size();
  }

  using Call = std::array<std::int32_t, 4>;  // state, bounds (0: none), callee, target
  static constexpr std::size_t kCallee = 2;

  std::vector<Call> calls_;
  std::vector<std::size_t> begin_{0};
  std::vector<MachineId> classes_;
  std::int32_t class_count_ = 0;
  std::vector<Call> sorted_;
};

}  // namespace

void RenameMachines(Machines& machines, const std::vector<MachineId>& names, std::size_t count) {
  Machines renamed;
  renamed.machines.resize(count);
  renamed.empty_text = machines.empty_text;
  if (machines.root >= 0) renamed.root = names[static_cast<std::size_t>(machines.root)];
  for (std::size_t m = 0; m < machines.machines.size(); ++m) {
    if (names[m] < 0) continue;
    Machine& machine = machines.machines[m];
    for (Machine::Edge& edge : machine.edges) {
      if (edge.symbol.kind == Symbol::Kind::kCall) {
        edge.symbol.id = names[static_cast<std::size_t>(edge.symbol.id)];
      } else if (edge.symbol.kind == Symbol::Kind::kCount) {
        Count repetition = machines.counts[static_cast<std::size_t>(edge.symbol.id)];
        repetition.body = names[static_cast<std::size_t>(repetition.body)];
        edge.symbol.id = renamed.Intern(repetition);
      }
    }
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      std::sort(machine.edges.begin() + machine.begin[s],
                machine.edges.begin() + machine.begin[s + 1]);
    }
    renamed.machines[static_cast<std::size_t>(names[m])] = std::move(machine);
  }
  machines = std::move(renamed);
}

// Machines are taken to be equal at first, and distinguished as long as they call different ones.
// Only when nothing is left to tell apart are equal ones really equal. One that is alone in its
// class is not looked at again.
Result<void, GrammarError> MergeEqualMachines(Machines& machines, Budget& budget) {
  constexpr int kMostRounds = 200;  // longer chains of rules stay apart
  Calls calls(machines);
  std::vector<MachineId> classes = calls.classes(), next(classes.size());
  std::vector<std::int32_t> members(static_cast<std::size_t>(calls.class_count()), 0), content;
  for (const MachineId c : classes) ++members[static_cast<std::size_t>(c)];
  std::int32_t used = calls.class_count();  // class numbers, over all rounds
  std::vector<std::size_t> open;
  for (std::size_t m = 0; m < classes.size(); ++m) {
    if (members[static_cast<std::size_t>(classes[m])] > 1) open.push_back(m);
  }
  const auto shared = [&] {
    return std::count_if(members.begin(), members.end(), [](std::int32_t n) { return n > 1; });
  };
  auto open_classes = shared();
  for (int round = 0; !open.empty(); ++round) {
    if (round == kMostRounds) return {};
    SequencePool found;
    members.clear();
    for (const std::size_t m : open) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("merging automata"));
      calls.Describe(m, classes, content);
      next[m] = found.Intern(content);
      members.resize(static_cast<std::size_t>(found.size()), 0);
      ++members[static_cast<std::size_t>(next[m])];
    }
    for (const std::size_t m : open) classes[m] = used + next[m];
    used += found.size();
    if (found.size() == open_classes) break;
    std::erase_if(open,
                  [&](std::size_t m) { return members[static_cast<std::size_t>(next[m])] == 1; });
    open_classes = shared();
  }
  if (open.empty()) return {};
  std::vector<MachineId> names(static_cast<std::size_t>(used), -1);
  std::int32_t count = 0;
  for (MachineId& c : classes) {
    MachineId& name = names[static_cast<std::size_t>(c)];
    if (name < 0) name = count++;
    c = name;
  }
  RenameMachines(machines, classes, static_cast<std::size_t>(count));
  return {};
}

}  // namespace sglrun::grammar
