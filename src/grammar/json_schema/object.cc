// Objects (grammar.md 3.9) as a network: a chain of the named keys in their order, each of which
// may be skipped unless it is required, then a loop of further keys. Every place of the chain is
// two states: behind a member, where a comma or the end may follow, and behind a comma, where a key
// must follow. What must be remembered on the way (how many keys, which of those that others depend
// on) is part of a state; of most objects it is nothing, and the chain is linear in the number of
// keys.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "grammar/json_schema/object_plan.h"
#include "grammar/json_schema/other_names.h"
#include "grammar/json_schema/value_rules.h"
#include "grammar/json_schema/value_spelling.h"

namespace sglrun::grammar {
namespace {

class ObjectWriter {
 public:
  ObjectWriter(ValueRules& rules, const ObjectPlan& plan, const std::vector<KeyCell>& cells,
               int depth)
      : rules_(rules), grammar_(rules.grammar()), plan_(plan), cells_(cells), depth_(depth + 1) {}

  ExprResult Write() {
    SGLRUN_RETURN_IF_ERROR(WriteCellKeys());
    if (plan_.keys.empty() && plan_.some.empty()) return WriteMap();
    SGLRUN_RETURN_IF_ERROR(Arrange());
    SGLRUN_RETURN_IF_ERROR(Walk());
    return grammar_.Sequence({grammar_.Bytes("{"), grammar_.Net(std::move(net_))});
  }

 private:
  static constexpr int kMostTracked = 16;
  static constexpr std::size_t kMostInAnyOrder = 12;
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  struct State {
    std::size_t at = 0;    // position in the chain; its size: the loop
    bool in_list = false;  // a key must follow; otherwise a member has just ended
    std::int64_t count = 0;
    std::uint32_t seen = 0;  // tracked keys
    std::uint32_t some = 0;  // conditions of plan.some that are met

    auto operator<=>(const State&) const = default;
  };

  GrammarError TooLarge(const std::string& what) const {
    return {Verdict::kTooLarge, "an object " + what};
  }

  Result<void, GrammarError> WriteCellKeys() {
    for (const KeyCell& cell : cells_) {
      if (cell.keys != nullptr) {
        SGLRUN_ASSIGN_OR_RETURN(cell_keys_.emplace_back(),
                                AppendStringOf(rules_.front(), *cell.keys));
        continue;
      }
      std::set<std::string> names;
      for (const ObjectPlan::Key& key : plan_.keys) names.insert(key.name);
      SGLRUN_ASSIGN_OR_RETURN(cell_keys_.emplace_back(), AppendOtherNames(rules_.front(), names));
    }
    return {};
  }

  ExprResult Member(ExprId key, FormulaId value) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, rules_.Value(value, depth_));
    return grammar_.Sequence({key, rules_.layout().Colon(grammar_), text});
  }
  ExprId AfterOpen() { return rules_.layout().AfterOpen(grammar_, depth_); }
  ExprId Comma() { return rules_.layout().Comma(grammar_, depth_); }
  ExprId Close(bool any) {
    const ExprId gap =
        any ? rules_.layout().BeforeClose(grammar_, depth_) : rules_.layout().InEmpty(grammar_);
    return grammar_.Sequence({gap, grammar_.Bytes("}")});
  }

  // No names: the number of keys is a counted repetition, of any size.
  ExprResult WriteMap() {
    std::vector<ExprId> members;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(members.emplace_back(), Member(cell_keys_[i], cells_[i].value));
    }
    std::vector<ExprId> choices;
    if (plan_.min == 0) choices.push_back(Close(false));
    const bool none = members.empty() || (plan_.max && *plan_.max == 0);
    if (!none && (!plan_.max || *plan_.max >= plan_.min)) {
      const ExprId member = grammar_.Choice(std::move(members));
      const ExprId more = grammar_.Repeat(grammar_.Sequence({Comma(), member}),
                                          std::max<std::int64_t>(plan_.min - 1, 0),
                                          plan_.max ? *plan_.max - 1 : kUnbounded);
      choices.push_back(grammar_.Sequence({AfterOpen(), member, more, Close(true)}));
    }
    if (choices.empty()) return grammar_.Never();
    return grammar_.Sequence({grammar_.Bytes("{"), grammar_.Choice(std::move(choices))});
  }

  // Parts the keys into the chain and the loop, and finds out what must be remembered.
  Result<void, GrammarError> Arrange() {
    bit_of_.assign(plan_.keys.size(), -1);
    decided_at_.assign(plan_.keys.size(), 0);
    const auto track = [&](std::size_t key) {
      if (bit_of_[key] < 0) bit_of_[key] = tracked_++;
    };
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < plan_.keys.size(); ++i) index.emplace(plan_.keys[i].name, i);
    for (const formula::DependentRequired* dependent : plan_.dependent) {
      track(index.at(dependent->name));
      Dependency one{index.at(dependent->name), {}};
      for (const std::string& name : dependent->names) {
        track(index.at(name));
        one.needs.push_back(index.at(name));
      }
      dependencies_.push_back(std::move(one));
    }
    if (tracked_ > kMostTracked) {
      return TooLarge("has more than 16 properties in dependencies");
    }
    std::size_t in_loop = 0;
    for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
      const ObjectPlan::Key& key = plan_.keys[i];
      if (key.value == kFalse && !key.required) continue;
      const bool anywhere = rules_.any_order() || key.anywhere;
      const bool tracks = rules_.any_order() || key.required || bit_of_[i] >= 0;
      if (rules_.any_order() && in_loop == kMostInAnyOrder) {
        return TooLarge("has more than 12 named properties in any order");
      }
      if (!anywhere || (tracks && in_loop == kMostInAnyOrder)) {
        decided_at_[i] = chain_.size() + 1;
        chain_.push_back(i);
        continue;
      }
      decided_at_[i] = kNever;
      if (tracks) track(i);
      in_loop += tracks ? 1 : 0;
      loop_.push_back(i);
    }
    if (tracked_ > 31) return TooLarge("has too many properties in any order");
    return ArrangeCount();
  }

  Result<void, GrammarError> ArrangeCount() {
    constexpr std::int64_t kMostCounted = 256;
    std::int64_t required = 0;
    bool repeats = !cells_.empty();
    for (const std::size_t i : loop_) repeats |= bit_of_[i] < 0;
    for (const ObjectPlan::Key& key : plan_.keys) required += key.required ? 1 : 0;
    const auto named = static_cast<std::int64_t>(chain_.size() + loop_.size());
    min_ = plan_.min <= required ? 0 : plan_.min;
    if (plan_.max && (repeats || named > *plan_.max)) max_ = plan_.max;
    counted_ = max_ ? *max_ : min_;
    if (counted_ > kMostCounted) return TooLarge("counts more than 256 properties");
    return {};
  }

  bool Undecided(std::size_t key, std::size_t at) const { return at < decided_at_[key]; }
  bool Seen(std::size_t key, const State& state) const {
    return bit_of_[key] >= 0 && (state.seen >> bit_of_[key] & 1U) != 0;
  }
  bool Broken(std::size_t dependency, const State& state) const {
    const Dependency& d = dependencies_[dependency];
    return Seen(d.key, state) && !std::all_of(d.needs.begin(), d.needs.end(),
                                              [&](std::size_t need) { return Seen(need, state); });
  }

  // Forgets what no dependency asks for any more; false where one is already broken.
  bool Settle(State& state) const {
    if (dependencies_.empty()) return true;
    std::uint32_t live = 0;
    for (const std::size_t key : loop_) {
      if (bit_of_[key] >= 0) live |= 1U << bit_of_[key];
    }
    for (std::size_t i = 0; i < dependencies_.size(); ++i) {
      const Dependency& d = dependencies_[i];
      bool decided = !Undecided(d.key, state.at);
      for (const std::size_t need : d.needs) decided = decided && !Undecided(need, state.at);
      if (decided) {
        if (Broken(i, state)) return false;
        continue;
      }
      live |= 1U << bit_of_[d.key];
      for (const std::size_t need : d.needs) live |= 1U << bit_of_[need];
    }
    state.seen &= live;
    return true;
  }

  std::int32_t IdOf(State state) {
    const auto [at, is_new] = ids_.try_emplace(state, net_.states);
    if (is_new) {
      ++net_.states;
      queue_.push_back(state);
    }
    return at->second;
  }

  void AddEdge(std::int32_t from, State to, ExprId expr) {
    if (Settle(to)) net_.exprs.push_back({from, IdOf(to), expr});
  }

  // One more key with a value: plain, and once for every set of conditions that it may meet.
  Result<void, GrammarError> AddMember(const State& state, std::int32_t from, State to, ExprId key,
                                       FormulaId value, std::uint32_t fits) {
    if (max_ && state.count >= *max_) return {};
    to.in_list = false;
    to.count = std::min(state.count + 1, counted_);
    const std::uint32_t open = fits & ~state.some;
    for (std::uint32_t met = open;; met = (met - 1) & open) {
      std::vector<FormulaId> parts{value};
      for (std::size_t i = 0; i < plan_.some.size(); ++i) {
        if ((met >> i & 1U) != 0) parts.push_back(plan_.some[i]->value);
      }
      to.some = state.some | met;
      SGLRUN_ASSIGN_OR_RETURN(const ExprId member,
                              Member(key, rules_.formulas().And(std::move(parts))));
      AddEdge(from, to, member);
      if (met == 0) return {};
    }
  }

  Result<std::uint32_t, GrammarError> Fits(const std::string& name) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < plan_.some.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const bool fits,
                              rules_.normal_form().KeyMatches(plan_.some[i]->keys, name));
      if (fits) bits |= 1U << i;
    }
    return bits;
  }

  Result<void, GrammarError> AddNamed(const State& state, std::int32_t from, State to,
                                      std::size_t index) {
    const ObjectPlan::Key& key = plan_.keys[index];
    if (bit_of_[index] >= 0) to.seen |= 1U << bit_of_[index];
    SGLRUN_ASSIGN_OR_RETURN(const std::uint32_t fits, Fits(key.name));
    return AddMember(state, from, to, grammar_.Bytes(SpellString(key.name)), key.value, fits);
  }

  Result<void, GrammarError> Walk() {
    net_.states = 2;
    const std::int32_t start = 0, end = 1;
    net_.accepting.push_back(end);
    for (std::size_t i = chain_.size(); i-- > 0 && last_required_ == 0;) {
      if (plan_.keys[chain_[i]].required) last_required_ = i + 1;
    }
    if (MayEnd({})) net_.exprs.push_back({start, end, Close(false)});
    AddEdge(start, {.in_list = true}, AfterOpen());
    // Twice the chain is what it takes when there is nothing to remember.
    const std::size_t most = 20'000 + 4 * chain_.size();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(rules_.front().budget.Spend("writing an object"));
      if (queue_.size() > most) {
        return TooLarge("needs more than 20,000 states for its counts and dependencies");
      }
      const State state = queue_[i];
      const std::int32_t from = ids_.at(state);
      if (!state.in_list) {
        if (MayEnd(state)) net_.exprs.push_back({from, end, Close(true)});
        State next = state;
        next.in_list = true;
        if (!max_ || state.count < *max_) AddEdge(from, next, Comma());
      } else if (state.at < chain_.size()) {
        SGLRUN_RETURN_IF_ERROR(WalkChain(state, from));
      } else {
        SGLRUN_RETURN_IF_ERROR(WalkLoop(state, from));
      }
    }
    return {};
  }

  // Whether the object may end with none of the keys that are still to come.
  bool MayEnd(const State& state) const {
    if (state.at < last_required_ || state.count < min_) return false;
    if (state.some != (1U << plan_.some.size()) - 1) return false;
    for (const std::size_t index : loop_) {
      if (plan_.keys[index].required && !Seen(index, state)) return false;
    }
    for (std::size_t i = 0; i < dependencies_.size(); ++i) {
      if (Broken(i, state)) return false;
    }
    return true;
  }

  Result<void, GrammarError> WalkChain(const State& state, std::int32_t from) {
    State next = state;
    ++next.at;
    const std::size_t index = chain_[state.at];
    if (!plan_.keys[index].required) AddEdge(from, next, grammar_.Empty());
    return AddNamed(state, from, next, index);
  }

  Result<void, GrammarError> WalkLoop(const State& state, std::int32_t from) {
    for (const std::size_t index : loop_) {
      if (!Seen(index, state)) SGLRUN_RETURN_IF_ERROR(AddNamed(state, from, state, index));
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(
          AddMember(state, from, state, cell_keys_[i], cells_[i].value, cells_[i].some));
    }
    return {};
  }

  struct Dependency {
    std::size_t key;
    std::vector<std::size_t> needs;
  };

  ValueRules& rules_;
  Grammar& grammar_;
  const ObjectPlan& plan_;
  const std::vector<KeyCell>& cells_;
  int depth_;  // of the members
  std::vector<ExprId> cell_keys_;
  std::vector<std::size_t> chain_, loop_;
  std::vector<int> bit_of_;  // of a key; -1: not tracked
  int tracked_ = 0;
  std::vector<std::size_t>
      decided_at_;  // the position from which it is known whether a key is there
  std::vector<Dependency> dependencies_;
  std::size_t last_required_ = 0;  // the chain up to here cannot be left out
  std::int64_t min_ = 0, counted_ = 0;
  std::optional<std::int64_t> max_;
  Network net_;
  std::map<State, std::int32_t> ids_;
  std::vector<State> queue_;
};

}  // namespace

ExprResult AppendObject(ValueRules& rules, const Alternative& alternative, int depth) {
  SGLRUN_ASSIGN_OR_RETURN(const ObjectPlan plan, PlanObject(rules.normal_form(), alternative));
  SGLRUN_ASSIGN_OR_RETURN(const auto cells, CellsOf(rules.normal_form(), plan));
  return ObjectWriter(rules, plan, cells, depth).Write();
}

}  // namespace sglrun::grammar
