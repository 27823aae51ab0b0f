#include "grammar/json_schema/string_language.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "grammar/json_schema/regex_format.h"
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

LengthBounds LengthsOf(const StringConstraints& c) {
  return {c.min_length, c.max_length.value_or(kUnbounded)};
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

// What patterns and formats say: texts that all of the languages hold, of such lengths.
struct Conjunction {
  std::vector<SharedDfa> languages = {};
  LengthBounds lengths = {};
};

Result<Conjunction, GrammarError> Wanted(const StringConstraints& c, Reading reading,
                                         PatternLanguages& known, Budget& budget) {
  Conjunction wanted{.lengths = LengthsOf(c)};
  for (const std::string& format : c.formats) {
    SharedDfa language = reading == Reading::kSome ? WideFormatDfa(format) : FormatDfa(format);
    // Any text may be one of some formats.
    if (language != nullptr) wanted.languages.push_back(std::move(language));
  }
  for (const std::string& pattern : c.patterns) {
    SGLRUN_ASSIGN_OR_RETURN(const PatternTexts texts, known.Of(pattern, reading, budget));
    wanted.languages.push_back(texts.chars);
    wanted.lengths = Conjoin(wanted.lengths, texts.lengths);
  }
  return wanted;
}

Result<std::vector<SharedDfa>, GrammarError> Forbidden(const StringConstraints& c, Reading reading,
                                                       PatternLanguages& known, Budget& budget) {
  const bool wide = reading == Reading::kEvery;
  std::vector<SharedDfa> all;
  for (const std::string& format : c.not_formats) {
    SharedDfa language = wide ? WideFormatDfa(format) : FormatDfa(format);
    if (language == nullptr) {
      return GrammarError{Verdict::kUnsupported,
                          "validators disagree about the format \"" + format +
                              "\", so it cannot be used under not, oneOf or if"};
    }
    all.push_back(std::move(language));
  }
  for (const std::string& pattern : c.not_patterns) {
    SGLRUN_ASSIGN_OR_RETURN(const PatternTexts texts,
                            known.Of(pattern, wide ? Reading::kSome : Reading::kEvery, budget));
    if (texts.lengths == LengthBounds{}) {
      all.push_back(texts.chars);
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(Dfa bounded, Bounded(*texts.chars, texts.lengths, budget));
    all.push_back(std::make_shared<const Dfa>(std::move(bounded)));
  }
  return all;
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

ExprId FormatAlone(Grammar& grammar, const std::string& format) {
  return format == kRegexFormat ? AppendRegexSource(grammar)
                                : grammar.Regular(SpelledFormatDfa(format));
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

Result<PatternTexts, GrammarError> PatternLanguages::Of(const std::string& pattern, Reading reading,
                                                        Budget& budget) {
  const bool wide = reading == Reading::kSome;
  auto& known = known_[wide ? 1 : 0];
  const auto at = known.find(pattern);
  if (at != known.end()) return PatternTexts(at->second);
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts texts,
                          RegexTextsOf(pattern, RegexMatch::kSearch, {.wide = wide}, budget));
  PatternTexts shared{std::make_shared<const Dfa>(std::move(texts.chars)), texts.lengths};
  return PatternTexts(known.emplace(pattern, std::move(shared)).first->second);
}

Result<StringTexts, GrammarError> StringTextsOf(const StringConstraints& constraints,
                                                PatternLanguages& patterns, Budget& budget,
                                                Reading reading) {
  const StringConstraints c = Simplified(constraints);
  if (LengthsOf(c).empty()) return StringTexts{NoText(), {}};
  SGLRUN_ASSIGN_OR_RETURN(Conjunction wanted, Wanted(c, reading, patterns, budget));
  SGLRUN_ASSIGN_OR_RETURN(const auto forbidden, Forbidden(c, reading, patterns, budget));
  std::sort(
      wanted.languages.begin(), wanted.languages.end(),
      [](const SharedDfa& a, const SharedDfa& b) { return a->states.size() < b->states.size(); });
  Dfa chars = wanted.languages.empty() ? AnyText() : *wanted.languages.front();
  for (std::size_t i = 1; i < wanted.languages.size(); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(chars, Intersect(chars, *wanted.languages[i], budget));
  }
  for (const SharedDfa& language : forbidden) {
    SGLRUN_ASSIGN_OR_RETURN(chars, Subtract(chars, *language, budget));
  }
  if (!c.excluded.empty()) {
    const std::vector<std::string> words(c.excluded.begin(), c.excluded.end());
    SGLRUN_RETURN_IF_ERROR(CheckWords(words, budget.limits()));
    SGLRUN_ASSIGN_OR_RETURN(chars, Subtract(chars, Words(words), budget));
  }
  return StringTexts{std::move(chars), wanted.lengths};
}

DfaResult StringValues(const StringConstraints& constraints, PatternLanguages& patterns,
                       Budget& budget, Reading reading) {
  SGLRUN_ASSIGN_OR_RETURN(StringTexts texts, StringTextsOf(constraints, patterns, budget, reading));
  return Bounded(std::move(texts.chars), texts.lengths, budget);
}

Result<bool, GrammarError> IsUnsatisfiable(const StringConstraints& constraints,
                                           PatternLanguages& patterns, Budget& budget,
                                           Reading reading) {
  const StringConstraints c = Simplified(constraints);
  if (LengthsOf(c).empty()) return true;
  if (OnlyLengths(c)) return false;
  // Of texts of any length, no list of words is all.
  StringConstraints without_words = c;
  without_words.excluded.clear();
  if (OnlyLengths(without_words) && !c.max_length) return false;
  SGLRUN_ASSIGN_OR_RETURN(const StringTexts texts, StringTextsOf(c, patterns, budget, reading));
  SGLRUN_ASSIGN_OR_RETURN(const bool any, HasMemberWithin(texts.chars, texts.lengths, budget));
  return !any;
}

ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints) {
  PatternLanguages patterns;
  return AppendString(front, constraints, patterns);
}

ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints,
                        PatternLanguages& patterns) {
  const StringConstraints c = Simplified(constraints);
  if (c == StringConstraints{.formats = c.formats} && c.formats.size() == 1) {
    return Quoted(front.grammar, FormatAlone(front.grammar, c.formats.front()));
  }
  if (!OnlyLengths(c)) {
    SGLRUN_ASSIGN_OR_RETURN(const StringTexts texts, StringTextsOf(c, patterns, front.budget));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId body, AppendCounted(front, texts.chars, texts.lengths,
                                                             TextSpelling::kJsonString));
    return Quoted(front.grammar, body);
  }
  if (LengthsOf(c).empty()) return front.grammar.Never();
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
  SGLRUN_ASSIGN_OR_RETURN(Conjunction wanted, Wanted(constraints, reading, patterns, budget));
  test.lengths_ = wanted.lengths;
  test.wanted_ = std::move(wanted.languages);
  SGLRUN_ASSIGN_OR_RETURN(test.forbidden_, Forbidden(constraints, reading, patterns, budget));
  test.excluded_ = constraints.excluded;
  return test;
}

bool StringTest::Accepts(std::string_view utf8) const {
  std::vector<std::uint32_t> characters;
  for (std::size_t at = 0; at < utf8.size();) characters.push_back(DecodeUtf8(utf8, at));
  const auto length = static_cast<std::int64_t>(characters.size());
  if (length < lengths_.min || (lengths_.max != kUnbounded && length > lengths_.max)) return false;
  const auto holds = [&](const SharedDfa& language) { return language->Accepts(characters); };
  return std::all_of(wanted_.begin(), wanted_.end(), holds) &&
         std::none_of(forbidden_.begin(), forbidden_.end(), holds) &&
         !excluded_.contains(std::string(utf8));
}

}  // namespace sglrun::grammar
