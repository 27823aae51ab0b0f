#include "grammar/ir/counted_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/automaton/length_sets.h"

namespace sglrun::grammar {
namespace {

// A counting automaton is built if it has at most this many states: its masks are as fast as those
// of other automata, whereas masks near the bounds of a counter are slower.
constexpr std::int64_t kSmallStates = 2'000;

std::int64_t ShortestMember(const Dfa& dfa) {
  std::vector<std::int64_t> distance(dfa.states.size(), -1);
  std::vector<std::int32_t> queue{0};
  distance[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto at = static_cast<std::size_t>(queue[i]);
    if (dfa.states[at].accepting) return distance[at];
    for (const Dfa::Edge& edge : dfa.states[at].edges) {
      const auto target = static_cast<std::size_t>(edge.target);
      if (distance[target] >= 0) continue;
      distance[target] = distance[at] + 1;
      queue.push_back(edge.target);
    }
  }
  return 0;
}

// nullopt when there is a cycle: in a minimal automaton every state leads to a member.
std::optional<std::int64_t> LongestMember(const Dfa& dfa) {
  std::vector<std::int64_t> entries(dfa.states.size(), 0), distance(dfa.states.size(), 0);
  for (const Dfa::State& state : dfa.states) {
    for (const Dfa::Edge& edge : state.edges) ++entries[static_cast<std::size_t>(edge.target)];
  }
  if (entries[0] > 0) return std::nullopt;
  std::vector<std::size_t> order{0};  // topological
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Dfa::Edge& edge : dfa.states[order[i]].edges) {
      const auto target = static_cast<std::size_t>(edge.target);
      distance[target] = std::max(distance[target], distance[order[i]] + 1);
      if (--entries[target] == 0) order.push_back(target);
    }
  }
  if (order.size() < dfa.states.size()) return std::nullopt;
  return *std::max_element(distance.begin(), distance.end());
}

// Without the bounds that the lengths of the members keep anyway.
LengthBounds Needed(const Dfa& chars, const LengthBounds& bounds) {
  LengthBounds needed = bounds;
  if (needed.min > 0 && ShortestMember(chars) >= needed.min) needed.min = 0;
  if (needed.max != kUnbounded) {
    const std::optional<std::int64_t> longest = LongestMember(chars);
    if (longest && *longest <= needed.max) needed.max = kUnbounded;
  }
  return needed;
}

ExprResult Spelled(FrontEnd& front, const Dfa& chars, TextSpelling spelling) {
  if (IsEmpty(chars)) return front.grammar.Never();
  DfaResult bytes = spelling == TextSpelling::kUtf8 ? ToUtf8(chars, front.budget)
                                                    : ToJsonString(chars, front.budget);
  if (!bytes.ok()) return bytes.error();
  return front.grammar.Regular(std::move(bytes).value());
}

DfaResult Countable(FrontEnd& front, const Dfa& chars, TextSpelling spelling) {
  return spelling == TextSpelling::kUtf8 ? ToCountableUtf8(chars, front.budget)
                                         : ToCountableJsonString(chars, front.budget);
}

}  // namespace

LengthBounds Conjoin(const LengthBounds& a, const LengthBounds& b) {
  LengthBounds both{std::max(a.min, b.min), a.max};
  if (b.max != kUnbounded) {
    both.max = a.max == kUnbounded ? b.max : std::min(a.max, b.max);
  }
  return both;
}

ExprResult AppendCounted(FrontEnd& front, const Dfa& chars, const LengthBounds& bounds,
                         TextSpelling spelling) {
  if (IsEmpty(chars) || bounds.empty()) return front.grammar.Never();
  LengthBounds needed = Needed(chars, bounds);
  if (needed == LengthBounds{}) return Spelled(front, chars, spelling);
  // Longer texts than the limit are given up: 2147483647 is a popular way to say "any length".
  const std::int64_t limit = front.budget.limits().repetition;
  if (needed.min > limit) {
    return GrammarError{Verdict::kTooLarge, "texts of at least " + std::to_string(needed.min) +
                                                " characters are wanted, the limit is " +
                                                std::to_string(limit)};
  }
  const bool has_max = needed.max != kUnbounded;
  const std::int64_t longest = has_max ? std::min(needed.max, limit) : needed.min;
  const auto states = static_cast<std::int64_t>(chars.states.size());
  if (states * (longest + 1) <= kSmallStates) {
    SGLRUN_ASSIGN_OR_RETURN(
        const Dfa bounded,
        BoundLength(chars, needed.min, has_max ? std::optional(longest) : std::nullopt,
                    front.budget));
    return Spelled(front, bounded, spelling);
  }
  needed.max = has_max ? longest : limit;
  SGLRUN_ASSIGN_OR_RETURN(Dfa bytes, Countable(front, chars, spelling));
  Work work(front.budget, "a bound on the length of texts");
  const auto lengths = LengthSets::Of(LengthGraph::OfBytes(bytes), needed.max, work);
  if (!lengths) return work.error();
  const bool empty = needed.min <= 0 && bytes.states[0].accepting;
  const bool others = lengths->Any(0, std::max<std::int64_t>(needed.min, 1), needed.max);
  if (!empty && !others) return front.grammar.Never();
  return front.grammar.LimitChars(
      std::move(bytes), {.min = needed.min, .max = needed.max, .empty = empty, .others = others});
}

Result<bool, GrammarError> HasMemberWithin(const Dfa& chars, const LengthBounds& bounds,
                                           Budget& budget) {
  if (IsEmpty(chars) || bounds.empty()) return false;
  const LengthBounds needed = Needed(chars, bounds);
  if (needed == LengthBounds{}) return true;
  if (needed.max == kUnbounded) {
    const std::optional<std::int64_t> longest = LongestMember(chars);
    return !longest || *longest >= needed.min;
  }
  if (needed.max > budget.limits().repetition) return true;  // counted no further
  Work work(budget, "a bound on the length of texts");
  const auto lengths = LengthSets::Of(LengthGraph::OfCharacters(chars), needed.max, work);
  if (!lengths) return work.error();
  return lengths->Any(0, needed.min, needed.max);
}

DfaResult Bounded(Dfa chars, const LengthBounds& bounds, Budget& budget) {
  if (IsEmpty(chars)) return chars;
  if (bounds.empty()) return NoText();
  const LengthBounds needed = Needed(chars, bounds);
  if (needed == LengthBounds{}) return chars;
  return BoundLength(chars, needed.min,
                     needed.max == kUnbounded ? std::nullopt : std::optional(needed.max), budget);
}

}  // namespace sglrun::grammar
