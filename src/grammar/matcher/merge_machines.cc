#include "grammar/matcher/merge_machines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace sglrun::grammar {
namespace {

// A machine as bytes, with the classes of those it calls in place of their numbers.
class Content {
 public:
  Content(const Machines& machines, const std::vector<MachineId>& classes)
      : machines_(machines), classes_(classes) {}

  std::string Of(const Machine& machine) {
    out_.clear();
    for (const Machine::State& state : machine.states) {
      Put(state.accepting ? 1 : 0);
      edges_.clear();
      for (const Machine::Edge& edge : state.edges) edges_.push_back(KeyOf(edge));
      // Numbers decided the order before; classes decide it now.
      std::sort(edges_.begin(), edges_.end());
      Put(static_cast<std::int64_t>(edges_.size()));
      for (const Key& key : edges_) std::for_each(key.begin(), key.end(), [&](auto v) { Put(v); });
    }
    return out_;
  }

 private:
  using Key = std::array<std::int64_t, 5>;

  Key KeyOf(const Machine::Edge& edge) const {
    const Symbol& symbol = edge.symbol;
    Key key{static_cast<std::int64_t>(symbol.kind) << 16 | symbol.first << 8 | symbol.last,
            symbol.id, 0, 0, edge.target};
    if (symbol.kind == Symbol::Kind::kCall) key[1] = classes_[static_cast<std::size_t>(symbol.id)];
    if (symbol.kind == Symbol::Kind::kCount) {
      const Count& count = machines_.counts[static_cast<std::size_t>(symbol.id)];
      key[1] = classes_[static_cast<std::size_t>(count.body)];
      key[2] = count.min;
      key[3] = count.max;
    }
    return key;
  }
  void Put(std::int64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }

  const Machines& machines_;
  const std::vector<MachineId>& classes_;
  std::vector<Key> edges_;
  std::string out_;
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
    for (Machine::State& state : machine.states) {
      for (Machine::Edge& edge : state.edges) {
        if (edge.symbol.kind == Symbol::Kind::kCall) {
          edge.symbol.id = names[static_cast<std::size_t>(edge.symbol.id)];
        } else if (edge.symbol.kind == Symbol::Kind::kCount) {
          Count repetition = machines.counts[static_cast<std::size_t>(edge.symbol.id)];
          repetition.body = names[static_cast<std::size_t>(repetition.body)];
          edge.symbol.id = renamed.Intern(repetition);
        }
      }
      std::sort(state.edges.begin(), state.edges.end());
    }
    renamed.machines[static_cast<std::size_t>(names[m])] = std::move(machine);
  }
  machines = std::move(renamed);
}

// All machines are taken to be equal at first, and told apart as long as their contents differ.
// Only when nothing is left to tell apart are equal ones really equal.
Result<void, GrammarError> MergeEqualMachines(Machines& machines, Budget& budget) {
  constexpr int kMostRounds = 40;  // longer chains of rules stay apart
  std::vector<MachineId> classes(machines.machines.size(), 0);
  std::size_t count = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    Content content(machines, classes);
    std::unordered_map<std::string, MachineId> found;
    std::vector<MachineId> next;
    for (const Machine& machine : machines.machines) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("merging automata"));
      next.push_back(
          found.emplace(content.Of(machine), static_cast<MachineId>(found.size())).first->second);
    }
    const bool settled = found.size() == count;
    if (found.size() == machines.machines.size()) return {};
    count = found.size();
    classes = std::move(next);
    if (settled) {
      RenameMachines(machines, classes, count);
      return {};
    }
  }
  return {};
}

}  // namespace sglrun::grammar
