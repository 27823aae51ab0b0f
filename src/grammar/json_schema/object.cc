// Objects as a network: a chain of the named keys in their order, each of which may be skipped
// unless it is required, then a loop of further keys. Every position of the chain has two states:
// after a member, where a comma or the end may follow, and after a comma, where a key must follow.
// Information to remember (the number of keys, and the keys that others depend on) is part of a
// state; most objects need none, and the chain is linear in the number of keys.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "grammar/json_schema/object_count.h"
#include "grammar/json_schema/object_order.h"
#include "grammar/json_schema/object_plan.h"
#include "grammar/json_schema/object_spelling.h"
#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {
namespace {

class ObjectWriter {
 public:
  ObjectWriter(ValueRules& rules, const ObjectPlan& plan, const std::vector<KeyCell>& cells,
               ObjectSpelling& spelling)
      : rules_(rules), grammar_(rules.grammar()), plan_(plan), cells_(cells), spelling_(spelling) {}

  ExprResult Write() {
    SGLRUN_RETURN_IF_ERROR(WriteCellKeys());
    auto order = ObjectOrder::Of(plan_, rules_.any_order(), !cells_.empty());
    if (!order.ok()) return rules_.TooLarge(order.error().message);
    order_ = std::move(order).value();
    SGLRUN_ASSIGN_OR_RETURN(apart_, TellsKeysApart(rules_, plan_, cells_, order_));
    if (apart_) {
      SGLRUN_ASSIGN_OR_RETURN(const bool is_written, Walk());
      if (is_written) {
        NoteKeysApart(rules_, plan_, cells_);
        return Written();
      }
      SGLRUN_RETURN_IF_ERROR(CountMembers(rules_, plan_));
      apart_ = false;
    }
    if (plan_.keys.empty() && plan_.some.empty()) return WriteMap();
    SGLRUN_ASSIGN_OR_RETURN(const bool is_written, Walk());
    if (is_written) return Written();
    return rules_.TooLarge(
        "an object needs more than 20,000 states for its counts and dependencies");
  }

 private:
  static constexpr std::int32_t kStartId = 0, kEndId = 1, kFirstId = 2;  // the last: of a State
  static constexpr std::size_t kOnce = std::numeric_limits<std::size_t>::max();

  struct State {
    std::size_t at = 0;      // position in the chain; its size: the loop
    bool in_list = false;    // a key must follow; otherwise a member has just ended
    std::int64_t count = 0;  // members
    std::int64_t apart = 0;  // where keys are distinguished: properties there are for sure
    std::uint64_t sets = 0;  // then: the sets of keys that may repeat which they are from
    std::uint32_t seen = 0;  // tracked keys
    std::uint32_t some = 0;  // conditions of plan.some that are met
    // The conditions met by a member whose key may occur again: parsers keep the last value.
    std::uint32_t shaky = 0;

    auto operator<=>(const State&) const = default;
  };

  Result<void, GrammarError> WriteCellKeys() {
    for (const KeyCell& cell : cells_) {
      SGLRUN_ASSIGN_OR_RETURN(cell_keys_.emplace_back(), spelling_.OtherKey(cell, plan_));
    }
    return {};
  }

  ExprResult Written() {
    return grammar_.Sequence({spelling_.Open(), grammar_.Net(std::move(net_))});
  }

  // No names: the number of keys is a counted repetition, of any size.
  ExprResult WriteMap() {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId member, OtherMember());
    std::vector<ExprId> choices;
    if (plan_.min == 0) choices.push_back(spelling_.Close(false));
    const ExprId some = SomeMembers(member, plan_.min, plan_.max);
    if (some != grammar_.Never()) {
      choices.push_back(grammar_.Sequence({spelling_.AfterOpen(), some}));
    }
    if (choices.empty()) return grammar_.Never();
    return grammar_.Sequence({spelling_.Open(), grammar_.Choice(std::move(choices))});
  }

  // One with a key that the schema does not name.
  ExprResult OtherMember() {
    std::vector<ExprId> members;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(members.emplace_back(),
                              spelling_.Member(cell_keys_[i], cells_[i].value));
    }
    return members.empty() ? grammar_.Never() : grammar_.Choice(std::move(members));
  }

  // Between min and max of them, at least one, and the end of the object.
  ExprId SomeMembers(ExprId member, std::int64_t min, std::optional<std::int64_t> max) {
    if (member == grammar_.Never() || (max && (*max < 1 || *max < min))) return grammar_.Never();
    const ExprId more =
        grammar_.Repeat(grammar_.Sequence({spelling_.Comma(), member}),
                        std::max<std::int64_t>(min - 1, 0), max ? *max - 1 : kUnbounded);
    return grammar_.Sequence({member, more, spelling_.Close(true)});
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
    if (order_.Settle(to.at, to.seen)) net_.exprs.push_back({from, IdOf(to), expr});
  }

  void TellApart(State& state, std::size_t set) const {
    if (state.apart >= plan_.min) return;
    const std::uint64_t bit = set == kOnce ? 0 : std::uint64_t{1} << std::min<std::size_t>(set, 63);
    if ((state.sets & bit) != 0) return;
    state.sets |= bit;
    if (++state.apart == plan_.min) state.sets = 0;
  }

  // The conditions of plan.some that hang on the value, not on the key alone.
  std::uint32_t OnValues() const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < plan_.some.size(); ++i) {
      if (plan_.some[i]->value != kTrue) bits |= 1U << i;
    }
    return bits;
  }

  // One more key with a value: plain, and once for every set of conditions that it may meet.
  // `set`: of a key that may come again, kOnce for others. A value that comes again must not take
  // back what an earlier one of the same key has met.
  Result<void, GrammarError> AddMember(const State& state, std::int32_t from, State to, ExprId key,
                                       FormulaId value, std::uint32_t fits, std::size_t set) {
    if (order_.max() && state.count >= *order_.max()) return {};
    to.in_list = false;
    to.count = std::min(state.count + 1, apart_ && !order_.max() ? 0 : order_.counted());
    if (apart_) TellApart(to, set);
    const bool repeats = set != kOnce;
    const std::uint32_t open = fits & ~state.some;
    for (std::uint32_t met = open;; met = (met - 1) & open) {
      const std::uint32_t holds = repeats ? met | (fits & state.shaky) : met;
      std::vector<FormulaId> parts{value};
      for (std::size_t i = 0; i < plan_.some.size(); ++i) {
        if ((holds >> i & 1U) != 0) parts.push_back(plan_.some[i]->value);
      }
      to.some = state.some | met;
      to.shaky = repeats ? state.shaky | (met & OnValues()) : state.shaky;
      SGLRUN_ASSIGN_OR_RETURN(const ExprId member,
                              spelling_.Member(key, rules_.formulas().And(std::move(parts))));
      AddEdge(from, to, Shared(member));
      if (met == 0) return {};
    }
  }

  // Keys in any order stand in as many states as there are sets of them: each member is spelled out
  // once, and called.
  ExprId Shared(ExprId member) {
    constexpr std::size_t kManyAnywhere = 5;
    if (order_.loop().size() < kManyAnywhere) return member;
    const auto [at, is_new] = shared_.try_emplace(member);
    if (is_new) {
      const RuleId rule = grammar_.AddRule("member");
      grammar_.Define(rule, member);
      at->second = grammar_.Call(rule);
    }
    return at->second;
  }

  Result<std::uint32_t, GrammarError> Fits(const std::string& name) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < plan_.some.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth fits,
                              rules_.normal_form().KeyMatches(plan_.some[i]->keys, name));
      if (fits == Truth::kYes) bits |= 1U << i;
    }
    return bits;
  }

  Result<void, GrammarError> AddNamed(const State& state, std::int32_t from, State to,
                                      std::size_t index) {
    const ObjectPlan::Key& key = plan_.keys[index];
    if (order_.bit_of(index) >= 0) to.seen |= 1U << order_.bit_of(index);
    SGLRUN_ASSIGN_OR_RETURN(const std::uint32_t fits, Fits(key.name));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId name, spelling_.NamedKey(key.name));
    return AddMember(state, from, to, name, key.value, fits,
                     order_.Repeats(index) ? cells_.size() + index : kOnce);
  }

  // Makes net_; false where it would have too many states.
  Result<bool, GrammarError> Walk() {
    net_ = {};
    net_.states = kFirstId;
    net_.accepting.push_back(kEndId);
    ids_.clear();
    queue_.clear();
    followers_ = 0;
    FindRequired();
    if (MayEnd({})) net_.exprs.push_back({kStartId, kEndId, spelling_.Close(false)});
    AddEdge(kStartId, {.in_list = true}, spelling_.AfterOpen());
    // Twice the chain is what it takes when there is nothing to remember.
    const std::size_t most = 20'000 + 4 * order_.chain().size();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(rules_.front().budget.Spend("writing an object"));
      if (queue_.size() > most) return false;
      const State state = queue_[i];
      const std::int32_t from = kFirstId + static_cast<std::int32_t>(i);
      if (!state.in_list) {
        if (MayEnd(state)) net_.exprs.push_back({from, kEndId, spelling_.Close(true)});
        State next = state;
        next.in_list = true;
        if (!order_.max() || state.count < *order_.max()) AddEdge(from, next, spelling_.Comma());
      } else if (state.at < order_.chain().size()) {
        SGLRUN_RETURN_IF_ERROR(WalkChain(state, from));
      } else {
        SGLRUN_RETURN_IF_ERROR(WalkLoop(state, from));
      }
    }
    return true;
  }

  void FindRequired() {
    const std::size_t size = order_.chain().size();
    required_from_.assign(size, size);
    for (std::size_t i = size, next = size; i-- > 0;) {
      if (plan_.keys[order_.chain()[i]].required) {
        next = i;
        if (last_required_ == 0) last_required_ = i + 1;
      }
      required_from_[i] = next;
    }
  }

  // Whether the object may end without any further key.
  bool MayEnd(const State& state) const {
    if (state.at < last_required_ || !HasEnough(state)) return false;
    if (state.some != (1U << plan_.some.size()) - 1) return false;
    for (const std::size_t index : order_.loop()) {
      if (plan_.keys[index].required && !order_.Seen(index, state.seen)) return false;
    }
    return !order_.AnyBroken(state.seen);
  }

  bool HasEnough(const State& state) const {
    return apart_ ? state.apart >= plan_.min : state.count >= order_.min();
  }

  Result<void, GrammarError> WalkChain(const State& state, std::int32_t from) {
    // Every key up to the next required one can follow: what the matcher's automaton consists of.
    constexpr std::size_t kMostFollowers = 10'000'000;
    followers_ += required_from_[state.at] - state.at + 1;
    if (followers_ > kMostFollowers) {
      return rules_.TooLarge("an object has too many optional properties in a row (" +
                             std::to_string(order_.chain().size()) +
                             " are named): any of them may follow any earlier one; make some of "
                             "them required, or part them among several objects");
    }
    State next = state;
    ++next.at;
    const std::size_t index = order_.chain()[state.at];
    if (!plan_.keys[index].required) AddEdge(from, next, grammar_.Empty());
    return AddNamed(state, from, next, index);
  }

  Result<void, GrammarError> WalkLoop(const State& state, std::int32_t from) {
    if (order_.others_are_counted()) return CountLoop(state, from);
    for (const std::size_t index : order_.loop()) {
      if (!order_.Seen(index, state.seen))
        SGLRUN_RETURN_IF_ERROR(AddNamed(state, from, state, index));
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(
          AddMember(state, from, state, cell_keys_[i], cells_[i].value, cells_[i].some, i));
    }
    return {};
  }

  Result<void, GrammarError> CountLoop(const State& state, std::int32_t from) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId member, OtherMember());
    std::optional<std::int64_t> max = order_.max();
    if (max) *max -= state.count;
    net_.exprs.push_back({from, kEndId, SomeMembers(member, order_.min() - state.count, max)});
    return {};
  }

  ValueRules& rules_;
  Grammar& grammar_;
  const ObjectPlan& plan_;
  const std::vector<KeyCell>& cells_;
  ObjectSpelling& spelling_;
  std::vector<ExprId> cell_keys_;
  std::map<ExprId, ExprId> shared_;  // members, and the calls of their rules
  ObjectOrder order_;
  bool apart_ = false;                      // the plan tells keys apart, and keys may repeat
  std::size_t last_required_ = 0;           // the chain up to here cannot be left out
  std::vector<std::size_t> required_from_;  // by position: the next key that cannot be left out
  std::size_t followers_ = 0;               // pairs of a state and a key that may come next there
  Network net_;
  std::map<State, std::int32_t> ids_;
  std::vector<State> queue_;
};

}  // namespace

ExprResult AppendObject(ValueRules& rules, const Alternative& alternative,
                        ObjectSpelling& spelling) {
  SGLRUN_ASSIGN_OR_RETURN(const ObjectPlan plan, PlanObject(rules.normal_form(), alternative));
  SGLRUN_ASSIGN_OR_RETURN(const auto cells, CellsOf(rules.normal_form(), plan));
  return ObjectWriter(rules, plan, cells, spelling).Write();
}

}  // namespace sglrun::grammar
