#include "grammar/matcher/determinize.h"

#include <algorithm>
#include <utility>

#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/unsigned_index.h"
#include "grammar/matcher/reduce.h"
#include "grammar/matcher/sketch_index.h"

namespace sglrun::grammar {

namespace {

// An edge of a set of states is sorted, copied and merged later, with the memory that this takes.
constexpr std::int64_t kStepsPerEdge = 8;

std::size_t MostEdges(const Budget& budget) {
  return budget.limits().program_bytes / sizeof(Machine::Edge);
}

}  // namespace

// The subset construction. Calls, counts and tokens are symbols like bytes. Most edges of a grammar
// lead to one state of the sketch; what that becomes is remembered without looking at sets.
class SubsetBuilder {
 public:
  explicit SubsetBuilder(SketchIndex& sketch) : sketch_(sketch) {}

  // False when the result has more than `most` states, or too many edges.
  Result<bool, GrammarError> Run(std::size_t most, Budget& budget) {
    subsets_.Clear(sketch_.state_count());
    subset_of_.assign(sketch_.state_count(), kUnknown);
    machine_ = {};
    const std::int32_t start[] = {0};
    sketch_.Close(start, closure_);
    // Nothing leads back to it: a set of its own, also where it is one state.
    closure_.insert(closure_.begin(), 2, kStartMark);
    subsets_.NumberOf(closure_);
    for (std::int32_t i = 0; i < subsets_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("making automata deterministic"));
      if (U(subsets_.size()) > most || machine_.edges.size() > MostEdges(budget)) return false;
      Expand(i);
      budget.Charge(kStepsPerEdge * static_cast<std::int64_t>(bytes_.size() + others_.size()));
    }
    return true;
  }
  Machine Take() { return std::move(machine_); }

 private:
  static constexpr std::int32_t kUnknown = -1, kStartMark = -1;
  void Expand(std::int32_t index) {
    bytes_.clear();
    others_.clear();
    if (subsets_.IsAlone(index)) return ExpandOne(subsets_.Alone(index));
    bool accepts = false;
    for (const std::int32_t state : subsets_[index]) {
      if (state == kStartMark) continue;
      accepts |= index != 0 && sketch_.Accepts(state);
      AddEdgesOf(state);
    }
    ExpandEdges();
    machine_.EndState(accepts);
  }

  void ExpandOne(std::int32_t state) {
    const auto edges = sketch_.EdgesOf(state);
    if (edges.size() == 1) {
      machine_.edges.push_back({edges.front().symbol, SubsetOfTarget(edges.front().target)});
    } else {
      AddEdgesOf(state);
      ExpandEdges();
    }
    machine_.EndState(sketch_.Accepts(state));
  }

  void AddEdgesOf(std::int32_t state) {
    for (const Machine::Edge& edge : sketch_.EdgesOf(state)) {
      (edge.symbol.kind == Symbol::Kind::kBytes ? bytes_ : others_).push_back(edge);
    }
  }

  void ExpandEdges() {
    const std::size_t from = machine_.edges.size();
    ExpandBytes();
    ExpandOthers();
    JoinFrom(from, machine_.edges);
  }

  // Cuts the bytes into intervals in which the same edges apply.
  void ExpandBytes() {
    if (!std::is_sorted(bytes_.begin(), bytes_.end())) std::sort(bytes_.begin(), bytes_.end());
    if (AreApart(bytes_)) {  // as they mostly are
      for (const Machine::Edge& edge : bytes_) {
        machine_.edges.push_back({edge.symbol, SubsetOfTarget(edge.target)});
      }
      return;
    }
    active_.clear();
    std::size_t next = 0;
    for (int first = 0; next < bytes_.size() || !active_.empty();) {
      if (active_.empty()) first = bytes_[next].symbol.first;
      while (next < bytes_.size() && bytes_[next].symbol.first == first) {
        active_.push_back(bytes_[next++]);
      }
      int last = next < bytes_.size() ? bytes_[next].symbol.first - 1 : 0xFF;
      targets_.clear();
      for (const Machine::Edge& edge : active_) {
        last = std::min<int>(last, edge.symbol.last);
        targets_.push_back(edge.target);
      }
      machine_.edges.push_back(
          {Symbol::Bytes(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)),
           SubsetOfTargets()});
      std::erase_if(active_, [&](const Machine::Edge& edge) { return edge.symbol.last <= last; });
      first = last + 1;
    }
  }

  void ExpandOthers() {
    if (!std::is_sorted(others_.begin(), others_.end())) std::sort(others_.begin(), others_.end());
    for (std::size_t i = 0; i < others_.size();) {
      const Symbol symbol = others_[i].symbol;
      targets_.clear();
      for (; i < others_.size() && others_[i].symbol == symbol; ++i) {
        targets_.push_back(others_[i].target);
      }
      machine_.edges.push_back({symbol, SubsetOfTargets()});
    }
  }

  static bool AreApart(std::span<const Machine::Edge> edges) {
    for (std::size_t i = 1; i < edges.size(); ++i) {
      if (edges[i].symbol.first <= edges[i - 1].symbol.last) return false;
    }
    return true;
  }
  std::int32_t SubsetOfTargets() {
    return targets_.size() == 1 ? SubsetOfTarget(targets_.front()) : SubsetOf(targets_);
  }
  std::int32_t SubsetOfTarget(std::int32_t target) {
    std::int32_t& known = subset_of_[U(target)];
    if (known == kUnknown) {
      known = sketch_.IsClosed(target) ? subsets_.NumberOf(target) : SubsetOf({&target, 1});
    }
    return known;
  }
  std::int32_t SubsetOf(std::span<const std::int32_t> targets) {
    sketch_.Close(targets, closure_);
    return subsets_.NumberOf(closure_);
  }

  SketchIndex& sketch_;
  SketchSets subsets_;                   // a state of the machine each
  std::vector<std::int32_t> subset_of_;  // by state of the sketch, when it is the only target
  std::vector<std::int32_t> closure_, targets_;
  std::vector<Machine::Edge> bytes_, others_, active_;
  Machine machine_;
};

namespace {

// The sketch without kNothing edges and with a separate start: used if the subset construction
// needs too many states.
Result<Machine, GrammarError> WithoutNothing(SketchIndex& sketch, Budget& budget) {
  Machine machine;  // state s of the sketch is s + 1
  const auto count = static_cast<std::int32_t>(sketch.state_count());
  std::vector<std::int32_t> closure;
  for (std::int32_t s = -1; s < count; ++s) {
    const std::int32_t of[] = {std::max(s, 0)};
    sketch.Close(of, closure);
    const std::size_t from = machine.edges.size();
    if (from > MostEdges(budget)) {
      return GrammarError{Verdict::kTooLarge, "an automaton of the grammar has more than " +
                                                  std::to_string(MostEdges(budget)) + " edges"};
    }
    bool accepts = false;
    for (const std::int32_t c : closure) {
      accepts |= sketch.Accepts(c);
      for (const Machine::Edge& edge : sketch.EdgesOf(c)) {
        machine.edges.push_back({edge.symbol, edge.target + 1});
      }
    }
    SGLRUN_RETURN_IF_ERROR(budget.Spend(
        "joining automata",
        kStepsPerEdge * static_cast<std::int64_t>(closure.size() + machine.edges.size() - from)));
    JoinFrom(from, machine.edges);
    machine.EndState(accepts && s >= 0);
  }
  return machine;
}

}  // namespace

struct Determinizer::Scratch {
  SketchIndex index;
  SubsetBuilder builder{index};
  SequencePool states;  // of MergeFromTheEnd
};

Determinizer::Determinizer() : scratch_(std::make_unique<Scratch>()) {}
Determinizer::~Determinizer() = default;

Result<Machine, GrammarError> Determinize(const Sketch& sketch, Budget& budget) {
  return Determinizer().Run(sketch, budget);
}

Result<Machine, GrammarError> Determinizer::Run(const Sketch& sketch, Budget& budget) {
  constexpr std::size_t kMoreStates = 2000, kRefinedStates = 1000;
  SketchIndex& index = scratch_->index;
  SubsetBuilder& builder = scratch_->builder;
  index.Load(sketch);
  SGLRUN_ASSIGN_OR_RETURN(const bool fits, builder.Run(2 * U(sketch.states) + kMoreStates, budget));
  std::vector<std::int32_t> loops;
  Machine drawn;
  if (fits) {
    drawn = builder.Take();
  } else {
    SGLRUN_ASSIGN_OR_RETURN(drawn, WithoutNothing(index, budget));
  }
  Machine machine = MergeFromTheEnd(Trim(std::move(drawn)), loops, scratch_->states);
  if (fits && machine.state_count() <= kRefinedStates && MayMergeLoops(machine, loops)) {
    machine = MergeLoops(std::move(machine));
  }
  return machine;
}

Machine FromDfa(const Dfa& dfa) {
  Machine machine;
  if (dfa.states.empty()) {
    machine.EndState(false);
    return machine;
  }
  // Where something leads back to its start, the machine has another one before it.
  const bool returns = std::any_of(dfa.states.begin(), dfa.states.end(), [](const auto& state) {
    return std::any_of(state.edges.begin(), state.edges.end(),
                       [](const Dfa::Edge& edge) { return edge.target == 0; });
  });
  const std::size_t before = returns ? 1 : 0;
  for (std::size_t i = 0; i < dfa.states.size() + before; ++i) {
    const Dfa::State& state = dfa.states[i < before ? 0 : i - before];
    const std::size_t from = machine.edges.size();
    for (const Dfa::Edge& edge : state.edges) {
      Symbol symbol = Symbol::Bytes(static_cast<std::uint8_t>(edge.first),
                                    static_cast<std::uint8_t>(edge.last));
      symbol.id = edge.first < kContinues ? 0 : 1;
      machine.edges.push_back({symbol, edge.target + static_cast<std::int32_t>(before)});
    }
    JoinFrom(from, machine.edges);
    machine.EndState(i > 0 && state.accepting);
  }
  return Trim(std::move(machine));
}

}  // namespace sglrun::grammar
