#include "grammar/json_schema/string_language.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "leaf_helpers.h"
#include "reference_matcher.h"

namespace sglrun::grammar {
namespace {

class Strings {
 public:
  explicit Strings(const StringConstraints& constraints) {
    Budget budget(options_.limits);
    FrontEnd front{grammar_, options_, nullptr, budget, report_};
    const ExprResult expr = AppendString(front, constraints);
    REQUIRE_MESSAGE(expr.ok(), expr.error().message);
    const RuleId root = grammar_.AddRule("root");
    grammar_.Define(root, *expr);
    grammar_.SetRoot(root);
  }
  bool Accepts(std::string_view text) const { return IsMember(grammar_, text); }

 private:
  GrammarOptions options_;
  Grammar grammar_;
  GrammarReport report_;
};

using Texts = std::initializer_list<std::string>;

void Check(const StringConstraints& constraints, Texts members, Texts others) {
  const Strings strings(constraints);
  for (const std::string& text : members) {
    CAPTURE(text);
    CHECK(strings.Accepts(text));
  }
  for (const std::string& text : others) {
    CAPTURE(text);
    CHECK_FALSE(strings.Accepts(text));
  }
}

// The decoded values, asked in all three ways.
void CheckValues(const StringConstraints& constraints, Texts members, Texts others) {
  const Limits limits;
  Budget budget(limits);
  PatternLanguages patterns;
  const DfaResult values = StringValues(constraints, patterns, budget);
  REQUIRE_MESSAGE(values.ok(), values.error().message);
  const auto test = StringTest::Create(constraints, patterns, budget);
  REQUIRE(test.ok());
  const Strings strings(constraints);
  const auto check = [&](const std::string& text, bool member) {
    CAPTURE(text);
    CHECK_EQ(HoldsText(*values, text), member);
    CHECK_EQ(test->Accepts(text), member);
    std::string spelled;
    AppendJsonString(spelled, text);
    CHECK_EQ(strings.Accepts(spelled), member);
  };
  for (const std::string& text : members) check(text, true);
  for (const std::string& text : others) check(text, false);
}

TEST_CASE("a pattern that must not match refuses what matches in any engine") {
  // ECMA-262 and Python disagree about each of the texts in the second list, or both match it.
  CheckValues({.not_patterns = {"\\s"}}, {"", "ab"},
              {" ", "a\u00A0", "\u2003", "\uFEFF", "\u0085"});
  CheckValues({.not_patterns = {"\\d"}}, {"", "ab"}, {"1", "\u0663"});
  CheckValues({.not_patterns = {"\\w"}}, {"", "-"}, {"a", "_", "\u00E9"});
  CheckValues({.not_patterns = {"[^\\W]"}}, {"", "-"}, {"a", "\u00E9"});
  CheckValues({.not_patterns = {"."}}, {"", "\n"}, {"a", "\r", "\u2028"});
  CheckValues({.not_patterns = {"^a$"}}, {"", "a\n\n", "b"}, {"a", "a\n"});
  CheckValues({.not_patterns = {"(?i)k"}}, {"", "c"}, {"k", "K", "\u212A"});
  CheckValues({.not_patterns = {"^(?!\\s)a*$"}}, {"b"}, {"", "a"});
}

TEST_CASE("a free string has every spelling of every character") {
  Check({},
        {R"("")", R"("a")", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
         R"("\" \\ \/ \b \f \n \r \t")", R"("\u0000\u0041\uFFFF\u00e9\ud7ff\uE000\uDBFF\uDFFF")",
         R"("\ud83d\uDE00x")"},
        {"",
         "\"",
         "a",
         R"("a)",
         "\"\n\"",
         "\"\x01\"",
         "\"\x1F\"",
         R"("\x41")",
         R"("\a")",
         R"("\")",
         R"("\u12")",
         R"("\u123g")",
         R"("\ud83d")",
         R"("\ude00")",
         R"("\ud83d\ud83d")",
         R"("\ud83dx")",
         R"("\ud83d\n")",
         R"("\ude00\ud83d")",
         R"("\udc00\udc00")",
         R"("\uDFFF\uDFFF")",
         "\"\xFF\"",
         "\"\xC3\"",
         "\"\xED\xA0\x80\"",
         "\"\xC0\x80\"",
         "\"a\"b\"",
         "'a'",
         "\"a\" ",
         R"("\U00000041")",
         "\"\xF4\x90\x80\x80\""});
}

TEST_CASE("lengths count characters, however they are spelled") {
  Check({.min_length = 1, .max_length = 3},
        {R"("a")", R"("abc")", "\"\xF0\x9F\x98\x80\"", R"("\u0041bc")", R"("\ud83d\ude00\n\\")",
         "\"\xC3\xA9\xC3\xA9\xC3\xA9\""},
        {R"("")", R"("abcd")", R"("\u0041bcd")", R"("\ud83d\ude00\n\\x")"});
  Check({.min_length = 2}, {R"("ab")", "\"" + std::string(500, 'a') + "\""}, {R"("a")", R"("\n")"});
  Check({.max_length = 0}, {R"("")"}, {R"("a")"});
  Check({.min_length = 3, .max_length = 2}, {}, {R"("")", R"("aa")", R"("aaa")"});
  // Counted, not unrolled; absurd bounds are met as far as the limit goes.
  Check({.max_length = 2147483647}, {R"("")", R"("abc")"}, {"abc"});
  Check({.min_length = 200'000}, {}, {R"("a")"});
}

TEST_CASE("a pattern is searched in the decoded value") {
  CheckValues({.patterns = {"b"}}, {"b", "abc", "\nb\"", "bb"}, {"", "a", "B"});
  CheckValues({.patterns = {"^a"}}, {"a", "ab", "a\n"}, {"", "ba", "\na"});
  CheckValues({.patterns = {"a$"}}, {"a", "ba", "\"a"}, {"", "ab", "a\n"});
  CheckValues({.patterns = {"^a.c$"}},
              {"abc",
               "a\xC3\xA9"
               "c",
               "a\"c", "a\\c", "a\tc"},
              {"ac", "a\nc", "abbc", "abc "});
  CheckValues({.patterns = {"^[^\"]*$"}}, {"", "a\\b"}, {"a\"b"});
}

TEST_CASE("a pattern fixes the spelling: raw, or the short escape") {
  Check({.patterns = {"^[\\x00-\\x7F\xC3\xA9]$"}},
        {R"("a")", R"("\"")", R"("\\")", R"("/")", R"("\n")", R"("\u0001")", R"("\u001F")",
         R"("\u001f")", "\"\xC3\xA9\"", "\"\x7F\""},
        {R"("\u0061")", R"("\/")", R"("\u00e9")", R"("\u000a")", R"("\u0022")", "\"\n\"",
         R"("\u007f")", R"(""")", R"("\")"});
}

TEST_CASE("patterns, formats, lengths and exclusions are conjoined") {
  CheckValues({.patterns = {"a", "b$"}}, {"ab", "b a b"}, {"a", "b", "ba"});
  CheckValues({.min_length = 3, .max_length = 4, .patterns = {"^[a-c]*$"}}, {"abc", "aaaa"},
              {"ab", "aaaaa", "abd"});
  CheckValues({.patterns = {"^2024-0[1-3]"}, .formats = {"date"}}, {"2024-01-31", "2024-02-29"},
              {"2024-02-30", "2024-04-01", "2025-01-01", "2024-01"});
  CheckValues({.max_length = 7, .formats = {"ipv4"}}, {"1.2.3.4", "0.0.0.0"}, {"1.2.3.44"});
  CheckValues({.not_patterns = {"^a"}}, {"", "ba", "b"}, {"a", "ab"});
  CheckValues({.formats = {"relative-json-pointer"}, .not_formats = {"ipv4"}}, {"1/g", "0#"},
              {"1", "1/2", "1/a", "x"});
  CheckValues({.excluded = {"", "ab", "\n"}}, {"a", "abc", "b", "\t"}, {"", "ab", "\n"});
  CheckValues({.max_length = 2, .excluded = {"ab"}}, {"", "a", "ba", "bb"}, {"ab", "abc"});
  // "\u0061" must not smuggle in an excluded name.
  Check({.excluded = {"a"}}, {R"("b")", R"("")", R"("aa")"}, {R"("a")", R"("\u0061")"});
}

TEST_CASE("lengths that the other constraints imply cost nothing") {
  CheckValues({.min_length = 2, .max_length = 1'000'000'000, .patterns = {"^[A-Z]{3}$"}}, {"ABC"},
              {"AB", "ABCD"});
  CheckValues({.max_length = 1'000'000, .formats = {"uuid"}},
              {"2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, {"x"});
}

TEST_CASE("excluded values that lengths exclude anyway leave all spellings and counters") {
  Check({.max_length = 900'000, .excluded = {""}}, {R"("\u0061")", R"("a")"}, {R"("")"});
  Check({.min_length = 2, .max_length = 900'000, .excluded = {"", "a"}}, {R"("\u0061b")"},
        {R"("a")", R"("")"});
}

TEST_CASE("contradictions are found") {
  const Limits limits;
  Budget budget(limits);
  const auto contradictory = [&](const StringConstraints& c) {
    PatternLanguages patterns;
    return IsUnsatisfiable(c, patterns, budget).value();
  };
  CHECK(contradictory({.min_length = 2, .max_length = 1}));
  CHECK(contradictory({.patterns = {"^a", "^b"}}));
  CHECK_FALSE(contradictory({.min_length = 10, .formats = {"date"}}));
  CHECK(contradictory({.min_length = 11, .formats = {"date"}}));
  CHECK(contradictory({.max_length = 0, .excluded = {""}}));
  CHECK_FALSE(contradictory({.max_length = 1, .excluded = {""}}));
  CHECK_FALSE(contradictory({}));
  CHECK_FALSE(contradictory({.max_length = 0}));
}

TEST_CASE("conjoining takes the tighter lengths and all the rest") {
  const StringConstraints a{.min_length = 1, .max_length = 9, .patterns = {"x"}};
  const StringConstraints b{.min_length = 3, .patterns = {"x", "y"}, .excluded = {"e"}};
  for (const StringConstraints& both : {Conjoin(a, b), Conjoin(b, a)}) {
    CHECK_EQ(both.min_length, 3);
    CHECK_EQ(both.max_length, 9);
    CHECK_EQ(both.patterns, std::vector<std::string>{"x", "y"});
    CHECK_EQ(both.excluded.size(), 1u);
  }
  CHECK_EQ(Conjoin(a, {}), a);
}

TEST_CASE("what may satisfy constraints for some readers is more than what does for all") {
  const Limits limits;
  Budget budget(limits);
  PatternLanguages patterns;
  const auto check = [&](const StringConstraints& c, const std::string& text) {
    CAPTURE(text);
    const auto values = StringValues(c, patterns, budget, Reading::kSome);
    REQUIRE(values.ok());
    CHECK(HoldsText(*values, text));
    CHECK_FALSE(HoldsText(*StringValues(c, patterns, budget), text));
    CHECK(StringTest::Create(c, patterns, budget, Reading::kSome)->Accepts(text));
    CHECK_FALSE(StringTest::Create(c, patterns, budget)->Accepts(text));
    CHECK_FALSE(*IsUnsatisfiable(c, patterns, budget, Reading::kSome));
  };
  check({.max_length = 1, .patterns = {"\\s"}}, "\xC2\xA0");
  check({.not_patterns = {"^\\S$"}}, "\xC2\x85");
  check({.formats = {"ipv4"}}, "01.2.3.4");
  check({.not_formats = {"ipv4"}}, "01.2.3.4");
  check({.formats = {"uri-reference"}}, "<>");
  CHECK(StringValues({.not_formats = {"uri-reference"}}, patterns, budget).error().verdict ==
        Verdict::kUnsupported);
}

TEST_CASE("a pattern is served with the largest length there can be") {
  const Strings strings({.min_length = 999'999, .patterns = {"a"}});
  CHECK_FALSE(strings.Accepts(std::string(10, 'a')));
}

TEST_CASE("faults of patterns and lengths come out as verdicts") {
  const GrammarOptions options;
  Budget budget(options.limits);
  const auto verdict = [&](const StringConstraints& c) {
    Grammar grammar;
    GrammarReport report;
    FrontEnd front{grammar, options, nullptr, budget, report};
    return AppendString(front, c).error().verdict;
  };
  CHECK_EQ(verdict({.patterns = {"("}}), Verdict::kInvalid);
  CHECK_EQ(verdict({.patterns = {"(a)\\1"}}), Verdict::kUnsupported);
  CHECK_EQ(verdict({.min_length = 1'000'001}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.excluded = {std::string(1'000'001, 'a')}}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.min_length = 1'000'001, .patterns = {"a"}}), Verdict::kTooLarge);
}

}  // namespace
}  // namespace sglrun::grammar
