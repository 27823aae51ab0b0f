// Subset construction. A set holds only the states that matter: those with symbol edges and those
// that accept; the states in between are walked through.
#include <algorithm>
#include <numeric>

#include "grammar/automaton/class_table.h"
#include "grammar/automaton/nfa.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

// Edges of each state side by side.
template <class E>
struct Grouped {
  std::vector<std::size_t> begin;
  std::vector<E> edges;

  Grouped(std::span<const E> all, Nfa::State states) : begin(U(states) + 1) {
    for (const E& edge : all) ++begin[U(edge.from) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    edges.resize(all.size());
    std::vector<std::size_t> next = begin;
    for (const E& edge : all) edges[next[U(edge.from)]++] = edge;
  }
  std::span<const E> Of(Nfa::State state) const {
    return std::span(edges).subspan(begin[U(state)], begin[U(state) + 1] - begin[U(state)]);
  }
};

// `beside`: only texts that this automaton accepts too are of interest; its state is the first
// number of each set. An automaton that would be huge by itself is often small in combination with
// another.
class Subsets {
 public:
  Subsets(const Nfa& nfa, const Alphabet& alphabet, const ClassTable* beside, Work& work)
      : nfa_(nfa),
        alphabet_(alphabet),
        beside_(beside),
        work_(work),
        edges_(nfa.edges(), nfa.state_count()),
        epsilons_(nfa.epsilons(), nfa.state_count()),
        reached_in_(U(nfa.state_count()), 0),
        targets_(U(alphabet.class_count())) {}

  std::optional<ClassTable> Run() {
    ClassTable table;
    if (beside_ != nullptr && beside_->state_count() == 0) return table;
    if (!Enter(std::array{Nfa::State{0}}, 0)) return std::nullopt;
    for (std::int32_t set = 0; set < sets_.size(); ++set) {
      const auto members = sets_[set].subspan(beside_ != nullptr ? 1 : 0);
      members_.assign(members.begin(), members.end());
      const std::int32_t other = beside_ != nullptr ? sets_[set].front() : 0;
      if (!CollectTargets()) return std::nullopt;
      for (const ClassId c : touched_) {
        const std::int32_t other_target = beside_ != nullptr ? TargetBeside(other, c) : 0;
        if (other_target >= 0) {
          const auto target = Enter(targets_[U(c)], other_target);
          if (!target) return std::nullopt;
          table.cells.push_back({c, *target});
        }
        targets_[U(c)].clear();
      }
      const bool accepts =
          std::ranges::any_of(members_, [&](Nfa::State state) { return nfa_.IsAccepting(state); });
      table.EndRow(accepts && (beside_ == nullptr || beside_->accepting[U(other)]));
      if (!work_.HasMemoryFor(table.cells.size())) return std::nullopt;
    }
    return table;
  }

 private:
  // What each class leads to from members_, and the classes that lead anywhere, in order.
  bool CollectTargets() {
    touched_.clear();
    for (const Nfa::State state : members_) {
      for (const Nfa::Edge& edge : edges_.Of(state)) {
        const auto classes = alphabet_.ClassesOf(edge.label);
        if (!work_.Step(classes.size())) return false;
        for (const ClassId c : classes) {
          if (targets_[U(c)].empty()) touched_.push_back(c);
          targets_[U(c)].push_back(edge.to);
        }
      }
    }
    std::ranges::sort(touched_);
    return true;
  }

  // -1: none.
  std::int32_t TargetBeside(std::int32_t state, ClassId symbol) const {
    const auto row = beside_->Row(U(state));
    const auto at = std::ranges::lower_bound(row, symbol, {}, &ClassTable::Cell::symbol);
    return at != row.end() && at->symbol == symbol ? at->target : -1;
  }

  // The set of everything reached from `states` without a symbol, beside the other automaton's.
  std::optional<std::int32_t> Enter(std::span<const Nfa::State> states, std::int32_t other) {
    ++round_;
    closure_.clear();
    other_ = other;
    for (const Nfa::State state : states) Reach(state);
    while (!stack_.empty()) {
      const Nfa::State state = stack_.back();
      stack_.pop_back();
      if (nfa_.AcceptsAnything(state)) return EnterAnything(state);
      if (!edges_.Of(state).empty() || nfa_.IsAccepting(state)) closure_.push_back(state);
      for (const auto& epsilon : epsilons_.Of(state)) Reach(epsilon.to);
      if (!work_.Step(1 + epsilons_.Of(state).size())) return std::nullopt;
    }
    std::ranges::sort(closure_);
    return InternClosure();
  }

  // One state stands for all sets that accept anything.
  std::optional<std::int32_t> EnterAnything(Nfa::State state) {
    stack_.clear();
    if (anything_ < 0) anything_ = state;
    closure_.assign(1, anything_);
    return InternClosure();
  }

  std::optional<std::int32_t> InternClosure() {
    if (beside_ != nullptr) closure_.insert(closure_.begin(), other_);
    const std::int32_t set = sets_.Intern(closure_);
    if (!work_.HasRoomFor(U(sets_.size())) || !work_.HasMemoryFor(sets_.numbers())) {
      return std::nullopt;
    }
    return set;
  }

  void Reach(Nfa::State state) {
    if (reached_in_[U(state)] == round_) return;
    reached_in_[U(state)] = round_;
    stack_.push_back(state);
  }

  const Nfa& nfa_;
  const Alphabet& alphabet_;
  const ClassTable* const beside_;
  Work& work_;
  Grouped<Nfa::Edge> edges_;
  Grouped<Nfa::EpsilonEdge> epsilons_;
  SequencePool sets_;
  std::vector<std::uint64_t> reached_in_;  // the round in which a state was met last
  std::uint64_t round_ = 0;
  std::vector<Nfa::State> stack_, closure_, members_;
  std::int32_t other_ = 0;                        // what closure_ is beside
  Nfa::State anything_ = -1;                      // the first such state met
  std::vector<std::vector<Nfa::State>> targets_;  // by class
  std::vector<ClassId> touched_;
};

}  // namespace

DfaResult Determinize(const Nfa& nfa, Budget& budget, const char* doing) {
  Work work(budget, doing);
  const auto alphabet = Alphabet::Of(nfa.labels(), work);
  if (!alphabet) return work.error();
  const auto table = Subsets(nfa, *alphabet, nullptr, work).Run();
  if (!table) return work.error();
  return ToMinimalDfa(*table, *alphabet, work);
}

DfaResult Intersect(const Dfa& a, const Nfa& b, Budget& budget, const char* doing) {
  Work work(budget, doing);
  Labels labels = b.labels();
  const LabelledDfa labelled = Label(a, labels);
  const auto alphabet = Alphabet::Of(labels, work);
  if (!alphabet) return work.error();
  const auto beside = Tabulate(labelled, *alphabet, work);
  if (!beside) return work.error();
  const auto table = Subsets(b, *alphabet, &*beside, work).Run();
  if (!table) return work.error();
  return ToMinimalDfa(*table, *alphabet, work);
}

}  // namespace sglrun::grammar
