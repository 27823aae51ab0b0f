#include "grammar/json_schema/string_language.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "grammar/json_schema/value_spelling.h"
#include "grammar/regex/regex.h"

namespace sglrun::grammar {
namespace {

void AddMissing(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

// Whether nothing but the length is constrained: then characters keep all their spellings.
bool OnlyLengths(const StringConstraints& c) {
  return c.patterns.empty() && c.formats.empty() && c.not_patterns.empty() &&
         c.not_formats.empty() && c.excluded.empty();
}

bool LengthsContradict(const StringConstraints& c) {
  return c.max_length && *c.max_length < c.min_length;
}

// Without excluded values that the lengths exclude already, so that lengths stay alone and counted
// where they can: {"minLength": 1} and "not the empty text" say the same.
StringConstraints Simplified(StringConstraints c) {
  if (c.min_length == 0 && c.excluded.contains("")) c.min_length = 1;
  std::erase_if(c.excluded, [&](const std::string& value) {
    const auto length = static_cast<std::int64_t>(CountCodePoints(value));
    return length < c.min_length || (c.max_length && length > *c.max_length);
  });
  return c;
}

// The languages whose texts all satisfy some of the names, or all that may: the wide ones.
Result<std::vector<SharedDfa>, GrammarError> LanguagesOf(const std::vector<std::string>& formats,
                                                         const std::vector<std::string>& patterns,
                                                         bool wide, PatternLanguages& known,
                                                         Budget& budget) {
  std::vector<SharedDfa> all;
  for (const std::string& format : formats) {
    all.push_back(wide ? WideFormatDfa(format) : FormatDfa(format));
  }
  const Reading reading = wide ? Reading::kSome : Reading::kEvery;
  for (const std::string& pattern : patterns) {
    SGLRUN_ASSIGN_OR_RETURN(all.emplace_back(), known.Of(pattern, reading, budget));
  }
  return all;
}

Result<std::vector<SharedDfa>, GrammarError> Wanted(const StringConstraints& c, Reading reading,
                                                    PatternLanguages& known, Budget& budget) {
  const bool wide = reading == Reading::kSome;
  SGLRUN_ASSIGN_OR_RETURN(auto all, LanguagesOf(c.formats, c.patterns, wide, known, budget));
  std::erase(all, nullptr);  // any text may be one of such a format
  return all;
}

Result<std::vector<SharedDfa>, GrammarError> Forbidden(const StringConstraints& c, Reading reading,
                                                       PatternLanguages& known, Budget& budget) {
  const bool wide = reading == Reading::kEvery;
  SGLRUN_ASSIGN_OR_RETURN(auto all,
                          LanguagesOf(c.not_formats, c.not_patterns, wide, known, budget));
  const auto none = std::find(all.begin(), all.end(), nullptr);
  if (none == all.end()) return all;
  const std::string& format = c.not_formats[static_cast<std::size_t>(none - all.begin())];
  return GrammarError{Verdict::kUnsupported,
                      "validators differ about \"" + format +
                          "\": no text is surely none, so it cannot stand under not, oneOf or if"};
}

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

// Leaves `values` as they are where their own lengths already keep the bounds: an automaton that
// counts has a state for every character up to the bound.
DfaResult BoundLengths(Dfa values, const StringConstraints& c, Budget& budget) {
  if (IsEmpty(values) || (c.min_length == 0 && !c.max_length)) return values;
  std::int64_t min = c.min_length;
  std::optional<std::int64_t> max = c.max_length;
  if (ShortestMember(values) >= min) min = 0;
  if (max) {
    const std::optional<std::int64_t> longest = LongestMember(values);
    if (longest && *longest <= *max) max.reset();
  }
  if (min == 0 && !max) return values;
  return BoundLength(values, min, max, budget);
}

// One character as it may stand between the quotes of a JSON string, over bytes.
const SharedDfa& AnyCharacter() {
  static const SharedDfa kDfa = [] {
    const Limits limits = Limits::WithoutWork();
    Budget budget(limits);
    const DfaResult spelled = RegexDfa(
        "[^\"\\\\\\x00-\\x1F]|\\\\(?:[\"\\\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]{3}|[dD]"
        "(?:[0-7][0-9a-fA-F]{2}|[89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})))",
        RegexMatch::kFull, {}, budget);
    CHECK(spelled.ok()) << spelled.error().message;
    DfaResult bytes = ToUtf8(*spelled, budget);
    CHECK(bytes.ok()) << bytes.error().message;
    return std::make_shared<const Dfa>(std::move(bytes).value());
  }();
  return kDfa;
}

ExprId Quoted(Grammar& grammar, ExprId body) {
  const ExprId quote = grammar.Bytes("\"");
  return grammar.Sequence({quote, body, quote});
}

}  // namespace

StringConstraints Conjoin(const StringConstraints& a, const StringConstraints& b) {
  StringConstraints both = a;
  both.min_length = std::max(a.min_length, b.min_length);
  if (b.max_length) both.max_length = std::min(a.max_length.value_or(*b.max_length), *b.max_length);
  AddMissing(both.patterns, b.patterns);
  AddMissing(both.formats, b.formats);
  AddMissing(both.not_patterns, b.not_patterns);
  AddMissing(both.not_formats, b.not_formats);
  both.excluded.insert(b.excluded.begin(), b.excluded.end());
  return both;
}

Result<SharedDfa, GrammarError> PatternLanguages::Of(const std::string& pattern, Reading reading,
                                                     Budget& budget) {
  const bool wide = reading == Reading::kSome;
  auto& known = known_[wide ? 1 : 0];
  const auto at = known.find(pattern);
  if (at != known.end()) return SharedDfa(at->second);
  SGLRUN_ASSIGN_OR_RETURN(Dfa dfa, RegexDfa(pattern, RegexMatch::kSearch, {.wide = wide}, budget));
  return SharedDfa(
      known.emplace(pattern, std::make_shared<const Dfa>(std::move(dfa))).first->second);
}

DfaResult StringValues(const StringConstraints& constraints, Budget& budget) {
  PatternLanguages patterns;
  return StringValues(constraints, patterns, budget);
}

DfaResult StringValues(const StringConstraints& constraints, PatternLanguages& patterns,
                       Budget& budget, Reading reading) {
  const StringConstraints c = Simplified(constraints);
  if (LengthsContradict(c)) return NoText();
  SGLRUN_ASSIGN_OR_RETURN(auto wanted, Wanted(c, reading, patterns, budget));
  SGLRUN_ASSIGN_OR_RETURN(const auto forbidden, Forbidden(c, reading, patterns, budget));
  std::sort(wanted.begin(), wanted.end(), [](const SharedDfa& a, const SharedDfa& b) {
    return a->states.size() < b->states.size();
  });
  Dfa values = wanted.empty() ? AnyText() : *wanted.front();
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(values, Intersect(values, *wanted[i], budget));
  }
  for (const SharedDfa& language : forbidden) {
    SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, *language, budget));
  }
  if (!c.excluded.empty()) {
    const std::vector<std::string> words(c.excluded.begin(), c.excluded.end());
    SGLRUN_RETURN_IF_ERROR(CheckWords(words, budget.limits()));
    SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, Words(words), budget));
  }
  return BoundLengths(std::move(values), c, budget);
}

Result<bool, GrammarError> IsUnsatisfiable(const StringConstraints& constraints,
                                           PatternLanguages& patterns, Budget& budget,
                                           Reading reading) {
  const StringConstraints c = Simplified(constraints);
  if (LengthsContradict(c)) return true;
  if (OnlyLengths(c)) return false;
  // Of texts of any length, no list of words is all.
  StringConstraints without_words = c;
  without_words.excluded.clear();
  if (OnlyLengths(without_words) && !c.max_length) return false;
  SGLRUN_ASSIGN_OR_RETURN(const Dfa values, StringValues(c, patterns, budget, reading));
  return IsEmpty(values);
}

ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints) {
  PatternLanguages patterns;
  return AppendString(front, constraints, patterns);
}

ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints,
                        PatternLanguages& patterns) {
  const StringConstraints c = Simplified(constraints);
  if (c == StringConstraints{.formats = c.formats} && c.formats.size() == 1) {
    const ExprId body = front.grammar.Regular(SpelledFormatDfa(c.formats.front()));
    return Quoted(front.grammar, body);
  }
  if (!OnlyLengths(c)) {
    SGLRUN_ASSIGN_OR_RETURN(const Dfa values, StringValues(c, patterns, front.budget));
    return AppendStringOf(front, values);
  }
  if (LengthsContradict(c)) return front.grammar.Never();
  const std::int64_t limit = front.budget.limits().repetition;
  if (c.min_length > limit) {
    return GrammarError{Verdict::kTooLarge, "minLength is " + std::to_string(c.min_length) +
                                                ", must be at most " + std::to_string(limit)};
  }
  // Longer texts than the limit are given up: 2147483647 is a popular way to say "any length".
  const std::int64_t max = c.max_length ? std::min(*c.max_length, limit) : kUnbounded;
  Grammar& grammar = front.grammar;
  return Quoted(grammar, grammar.Repeat(grammar.Regular(AnyCharacter()), c.min_length, max));
}

ExprResult AppendStringOf(FrontEnd& front, const Dfa& values) {
  if (IsEmpty(values)) return front.grammar.Never();
  SGLRUN_ASSIGN_OR_RETURN(Dfa bytes, ToJsonString(values, front.budget));
  return Quoted(front.grammar, front.grammar.Regular(std::move(bytes)));
}

Result<StringTest, GrammarError> StringTest::Create(const StringConstraints& constraints,
                                                    PatternLanguages& patterns, Budget& budget,
                                                    Reading reading) {
  StringTest test;
  test.min_length_ = constraints.min_length;
  test.max_length_ = constraints.max_length;
  SGLRUN_ASSIGN_OR_RETURN(test.wanted_, Wanted(constraints, reading, patterns, budget));
  SGLRUN_ASSIGN_OR_RETURN(test.forbidden_, Forbidden(constraints, reading, patterns, budget));
  test.excluded_ = constraints.excluded;
  return test;
}

bool StringTest::Accepts(std::string_view utf8) const {
  std::vector<std::uint32_t> characters;
  for (std::size_t at = 0; at < utf8.size();) characters.push_back(DecodeUtf8(utf8, at));
  const auto length = static_cast<std::int64_t>(characters.size());
  if (length < min_length_ || (max_length_ && length > *max_length_)) return false;
  const auto holds = [&](const SharedDfa& language) { return language->Accepts(characters); };
  return std::all_of(wanted_.begin(), wanted_.end(), holds) &&
         std::none_of(forbidden_.begin(), forbidden_.end(), holds) &&
         !excluded_.contains(std::string(utf8));
}

}  // namespace sglrun::grammar
