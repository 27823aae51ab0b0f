// Arrays. Without contains and uniqueItems: the prefix, then a counted
// repetition. With them: a network whose states know how many items there are (as far as it
// matters) and how many of them each `contains` has found, or which of finitely many values.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "grammar/base/json_text.h"
#include "grammar/json_schema/array_plan.h"
#include "grammar/json_schema/value_rules.h"
#include "grammar/json_schema/value_spelling.h"

namespace sglrun::grammar {
namespace {

class ArrayWriter {
 public:
  ArrayWriter(ValueRules& rules, const ArrayPlan& plan, int depth)
      : rules_(rules), grammar_(rules.grammar()), plan_(plan), depth_(depth + 1) {}

  ExprResult Write() {
    if (plan_.max && *plan_.max < plan_.min) return grammar_.Never();
    if (plan_.unique != nullptr && !(plan_.max && *plan_.max <= 1)) return WriteUnique();
    if (plan_.contains.empty()) return WritePlain();
    SGLRUN_RETURN_IF_ERROR(WriteCounting());
    return Bracketed();
  }

 private:
  ExprId AfterOpen() { return rules_.layout().AfterOpen(grammar_, depth_); }
  ExprId Comma() { return rules_.layout().Comma(grammar_, depth_); }
  ExprId Before(bool first) { return first ? AfterOpen() : Comma(); }
  ExprId Close(bool any) {
    const ExprId gap =
        any ? rules_.layout().BeforeClose(grammar_, depth_) : rules_.layout().InEmpty(grammar_);
    return grammar_.Sequence({gap, grammar_.Bytes("]")});
  }
  ExprId Bracketed() {
    return grammar_.Sequence({grammar_.Bytes("["), grammar_.Net(std::move(net_))});
  }

  ExprResult Rest(std::int64_t min, std::int64_t max) {
    if (max == 0) return grammar_.Empty();
    SGLRUN_ASSIGN_OR_RETURN(const ExprId item, rules_.Value(plan_.rest, depth_));
    return grammar_.Repeat(grammar_.Sequence({Comma(), item}), std::max<std::int64_t>(min, 0), max);
  }

  ExprResult WritePlain() {
    if (!plan_.prefix.empty()) return WritePrefix();
    std::vector<ExprId> choices;
    if (plan_.min == 0) choices.push_back(Close(false));
    if (!plan_.max || *plan_.max > 0) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId first, rules_.Value(plan_.rest, depth_));
      SGLRUN_ASSIGN_OR_RETURN(const ExprId more,
                              Rest(plan_.min - 1, plan_.max ? *plan_.max - 1 : kUnbounded));
      choices.push_back(grammar_.Sequence({AfterOpen(), first, more, Close(true)}));
    }
    return grammar_.Sequence({grammar_.Bytes("["), grammar_.Choice(std::move(choices))});
  }

  ExprResult WritePrefix() {
    const auto prefix = static_cast<std::int64_t>(plan_.prefix.size());
    // State i: i items are written; then the end.
    net_.states = static_cast<std::int32_t>(prefix) + 2;
    const auto end = static_cast<std::int32_t>(prefix) + 1;
    net_.accepting.push_back(end);
    for (std::int64_t i = 0; i <= prefix; ++i) {
      const auto at = static_cast<std::int32_t>(i);
      if (i == prefix) {
        SGLRUN_ASSIGN_OR_RETURN(
            const ExprId more,
            Rest(plan_.min - prefix, plan_.max ? *plan_.max - prefix : kUnbounded));
        net_.exprs.push_back({at, end, grammar_.Sequence({more, Close(true)})});
        break;
      }
      if (i >= plan_.min) net_.exprs.push_back({at, end, Close(i > 0)});
      SGLRUN_ASSIGN_OR_RETURN(const ExprId item, rules_.Value(plan_.ItemAt(i), depth_));
      net_.exprs.push_back({at, at + 1, grammar_.Sequence({Before(i == 0), item})});
    }
    return Bracketed();
  }

  // contains

  struct State {
    std::int64_t items = 0;           // as far as positions differ
    std::vector<std::int64_t> found;  // of each contains, as far as it matters

    auto operator<=>(const State&) const = default;
  };

  template <class Key>
  std::int32_t IdOf(std::map<Key, std::int32_t>& ids, std::vector<Key>& queue, const Key& key) {
    const auto [at, is_new] = ids.try_emplace(key, net_.states);
    if (is_new) {
      ++net_.states;
      queue.push_back(key);
    }
    return at->second;
  }

  std::int64_t MostFound(std::size_t i) const {
    const formula::Contains& contains = *plan_.contains[i];
    return contains.max ? *contains.max : contains.min;
  }

  Result<void, GrammarError> CheckStates() const {
    constexpr std::int32_t kMostStates = 20'000;
    if (net_.states <= kMostStates) return {};
    return GrammarError{Verdict::kTooLarge,
                        "an array with contains needs more than 20,000 states to count"};
  }

  Result<void, GrammarError> WriteCounting() {
    std::int64_t positions = std::max(plan_.min, static_cast<std::int64_t>(plan_.prefix.size()));
    if (plan_.max) positions = std::max(positions, *plan_.max);
    for (const formula::Contains* contains : plan_.contains) {
      positions = std::max(positions, contains->from);
    }
    // The first item has no comma before it, so that one position is always distinguished.
    positions = std::max<std::int64_t>(positions, 1);
    std::map<State, std::int32_t> ids;
    std::vector<State> queue;
    net_.states = 0;
    IdOf(ids, queue, {0, std::vector<std::int64_t>(plan_.contains.size(), 0)});
    const std::int32_t end = net_.states++;
    net_.accepting.push_back(end);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      SGLRUN_RETURN_IF_ERROR(rules_.front().budget.Spend("counting items"));
      SGLRUN_RETURN_IF_ERROR(CheckStates());
      const State state = queue[next];
      const std::int32_t from = ids.at(state);
      bool complete = state.items >= plan_.min;
      for (std::size_t i = 0; i < plan_.contains.size(); ++i) {
        complete = complete && state.found[i] >= plan_.contains[i]->min;
      }
      if (complete) net_.exprs.push_back({from, end, Close(state.items > 0)});
      if (plan_.max && state.items >= *plan_.max) continue;
      SGLRUN_ASSIGN_OR_RETURN(const auto steps, StepsFrom(state));
      for (const auto& [item, found] : steps) {
        if (item == kFalse) continue;
        SGLRUN_ASSIGN_OR_RETURN(ExprId value, rules_.Value(item, depth_));
        if (distinct_) value = grammar_.Element(value);
        const std::int32_t to = IdOf(ids, queue, {std::min(state.items + 1, positions), found});
        net_.exprs.push_back({from, to, grammar_.Sequence({Before(state.items == 0), value})});
      }
    }
    return {};
  }

  struct Step {
    FormulaId item;
    std::vector<std::int64_t> found;
  };

  // The next item, found or not found by each contains. A `contains` with only a minimum need not
  // record that an item does not match.
  Result<std::vector<Step>, GrammarError> StepsFrom(const State& state) {
    std::vector<Step> steps{{plan_.ItemAt(state.items), state.found}};
    for (std::size_t i = 0; i < plan_.contains.size(); ++i) {
      const formula::Contains& contains = *plan_.contains[i];
      if (state.items < contains.from) continue;
      const bool enough = state.found[i] >= MostFound(i);
      if (enough && !contains.max) continue;
      Formulas& formulas = rules_.formulas();
      std::vector<Step> both;
      for (const Step& step : steps) {
        const FormulaId other = contains.max ? formulas.Exclude(contains.item) : kTrue;
        both.push_back({formulas.And({step.item, other}), step.found});
        if (enough) continue;
        both.push_back({formulas.And({step.item, contains.item}), step.found});
        ++both.back().found[i];
      }
      steps = std::move(both);
    }
    return steps;
  }

  // uniqueItems over few values: which of them are there is all there is to know. Of others the
  // matcher remembers those that a text has.
  ExprResult WriteUnique() {
    constexpr std::size_t kFewValues = 12, kManyValues = 10'000;
    std::vector<const Json*> values;
    SGLRUN_ASSIGN_OR_RETURN(const bool finite, CollectValues(kManyValues, values));
    if (finite && values.size() <= kFewValues) {
      SGLRUN_RETURN_IF_ERROR(WriteSubsets(values));
      return Bracketed();
    }
    if (finite && static_cast<std::int64_t>(values.size()) < plan_.min) return grammar_.Never();
    distinct_ = true;
    SGLRUN_RETURN_IF_ERROR(WriteCounting());
    return grammar_.Sequence(
        {grammar_.Bytes("["), grammar_.Distinct(grammar_.Net(std::move(net_)))});
  }

  Result<bool, GrammarError> CollectValues(std::size_t limit, std::vector<const Json*>& values) {
    std::map<std::string, const Json*> all;
    for (std::size_t i = 0; i <= plan_.prefix.size(); ++i) {
      const FormulaId item = plan_.ItemAt(static_cast<std::int64_t>(i));
      if (plan_.max && static_cast<std::int64_t>(i) >= *plan_.max) break;
      SGLRUN_ASSIGN_OR_RETURN(const auto some, rules_.normal_form().FiniteValues(item, limit));
      if (!some) return false;
      for (const Json* value : *some) {
        if (all.emplace(EqualityKey(*value), value).second) values.push_back(value);
      }
    }
    return values.size() <= limit;
  }

  // Values, as bits, that match a `contains`: for every reader, and for some.
  struct Found {
    std::uint32_t surely = 0, perhaps = 0;
  };

  bool SubsetIsComplete(std::uint32_t set, const std::vector<Found>& found) const {
    if (std::popcount(set) < plan_.min) return false;
    for (std::size_t i = 0; i < plan_.contains.size(); ++i) {
      const formula::Contains& contains = *plan_.contains[i];
      if (std::popcount(set & found[i].surely) < contains.min) return false;
      if (contains.max && std::popcount(set & found[i].perhaps) > *contains.max) return false;
    }
    return true;
  }

  Result<void, GrammarError> WriteSubsets(const std::vector<const Json*>& values) {
    NormalForm& normal_form = rules_.normal_form();
    std::vector<Found> found;
    for (const formula::Contains* contains : plan_.contains) {
      if (contains->from > 0) {
        return GrammarError{Verdict::kUnsupported,
                            "uniqueItems together with a negated items cannot be enforced"};
      }
      Found& by_contains = found.emplace_back();
      for (std::size_t i = 0; i < values.size(); ++i) {
        SGLRUN_ASSIGN_OR_RETURN(const Truth holds, normal_form.TruthOf(*values[i], contains->item));
        if (holds == Truth::kYes) by_contains.surely |= 1U << i;
        if (holds != Truth::kNo) by_contains.perhaps |= 1U << i;
      }
    }
    std::map<std::uint32_t, std::int32_t> ids;
    std::vector<std::uint32_t> queue;
    net_.states = 0;
    IdOf(ids, queue, 0U);
    const std::int32_t end = net_.states++;
    net_.accepting.push_back(end);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t set = queue[next];
      const std::int32_t from = ids.at(set);
      const std::int64_t count = std::popcount(set);
      if (SubsetIsComplete(set, found)) net_.exprs.push_back({from, end, Close(set != 0)});
      if (plan_.max && count >= *plan_.max) continue;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if ((set >> i & 1U) != 0) continue;
        SGLRUN_ASSIGN_OR_RETURN(const Truth holds,
                                normal_form.TruthOf(*values[i], plan_.ItemAt(count)));
        if (holds != Truth::kYes) continue;
        SGLRUN_ASSIGN_OR_RETURN(const ExprId value,
                                AppendValues(rules_.front(), {values[i]}, rules_.layout(), depth_));
        const std::int32_t to = IdOf(ids, queue, set | 1U << i);
        net_.exprs.push_back({from, to, grammar_.Sequence({Before(set == 0), value})});
      }
    }
    return {};
  }

  ValueRules& rules_;
  Grammar& grammar_;
  const ArrayPlan& plan_;
  int depth_;              // of the items
  bool distinct_ = false;  // no two items are equal
  Network net_;
};

}  // namespace

ExprResult AppendArray(ValueRules& rules, const Alternative& alternative, int depth) {
  const ArrayPlan plan = PlanArray(rules.normal_form(), alternative);
  return ArrayWriter(rules, plan, depth).Write();
}

}  // namespace sglrun::grammar
