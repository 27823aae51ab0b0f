#include "grammar/regex/regex.h"

#include <doctest/doctest.h>

#include "automaton/helpers.h"

namespace sglrun::grammar {
namespace {

const Limits kLimits;

DfaResult Full(std::string_view pattern, RegexFlags flags = {}) {
  Budget budget(kLimits);
  return RegexDfa(pattern, RegexMatch::kFull, flags, budget);
}
DfaResult Search(std::string_view pattern) {
  Budget budget(kLimits);
  return RegexDfa(pattern, RegexMatch::kSearch, {}, budget);
}

struct Row {
  std::string pattern;
  std::vector<std::string> yes, no;
};

void CheckRows(const std::vector<Row>& rows, RegexMatch match) {
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    Budget budget(kLimits);
    const auto dfa = RegexDfa(row.pattern, match, {}, budget);
    REQUIRE_MESSAGE(dfa.ok(), dfa.error().message);
    for (const std::string& text : row.yes) CHECK_MESSAGE(AcceptsText(*dfa, text), text);
    for (const std::string& text : row.no) CHECK_MESSAGE(!AcceptsText(*dfa, text), text);
  }
}

TEST_CASE("the whole text must match, and anchors mean what they say") {
  CheckRows(
      {
          {"abc", {"abc"}, {"ab", "abcd", "xabc", ""}},
          {"^abc$", {"abc"}, {"ab", "xabc"}},
          {"^^abc$$", {"abc"}, {"^abc"}},
          {"\\Aabc\\z", {"abc"}, {"abc\n"}},
          {"\\Aabc\\Z", {"abc"}, {"abc\n"}},
          {"abc$", {"abc"}, {"abc\n"}},
          {"(^a|b$)", {"a", "b"}, {"ab", ""}},
          {"^(a|b)$", {"a", "b"}, {"ab"}},
          {"^a$|^b$", {"a", "b"}, {"ab"}},
          {"x|a^b", {"x"}, {"ab", "a^b"}},
          {"a?^b", {"b"}, {"ab"}},
          {"b$a?", {"b"}, {"ba"}},
          {"(a|^)b", {"ab", "b"}, {"bb"}},
          {"(^a?)*b", {"b", "ab"}, {"aab"}},
          {"(^a|b){2}", {"ab", "bb"}, {"aa", "ba"}},
          {"(a$|b)*", {"", "b", "ba", "bba"}, {"ab", "aa"}},
          {"(^$)*", {""}, {"a"}},
          {"()^a", {"a"}, {"aa"}},
          {"(|x)^a", {"a"}, {"xa"}},
          {"", {""}, {"a"}},
      },
      RegexMatch::kFull);
  for (const char* dead : {"a^b", "a$b", "[]", "a[]", "x^", "$x", "(a^b|$c)d"}) {
    CAPTURE(dead);
    CHECK(Full(dead)->states.empty());
  }
}

TEST_CASE("a pattern matches somewhere in the text unless anchored") {
  CheckRows(
      {
          {"b", {"b", "abc", "\nb\n"}, {"", "ac"}},
          {"^b", {"b", "bc"}, {"ab", "\nb"}},
          {"b$", {"b", "ab"}, {"bc", "b\n"}},
          {"^b$", {"b"}, {"ab", "bc"}},
          {"^a|b$", {"a", "axx", "xxb", "b"}, {"xax", "bx", ""}},
          {"(^a|b$)", {"a", "axx", "xxb"}, {"xax", "bx"}},
          {"x(^a|b$)", {"xb", "yxb"}, {"xa", "xbx"}},
          {"a^b|c", {"c", "abc"}, {"ab"}},
          {"", {"", "anything"}, {}},
          {"^$", {""}, {"a", "\n"}},
          {"(^|,)a(,|$)", {"a", "a,b", "b,a", "b,a,c"}, {"ba", "ab", "b,ab"}},
          {"a*", {"", "b"}, {}},
          {"^a?^b", {"b", "bx"}, {"ab"}},
      },
      RegexMatch::kSearch);
  CHECK(Search("a^b")->states.empty());
  CHECK(*Search("") == AnyText());
}

TEST_CASE("literals, groups, choices and quantifiers") {
  CheckRows(
      {
          {"a(?:b)(?<n>c)(?P<m_1>d)(e)", {"abcde"}, {"abcd"}},
          {"a||b", {"a", "", "b"}, {"ab"}},
          {"(|a)b", {"b", "ab"}, {"a"}},
          {"()", {""}, {"a"}},
          {"a*b+c?", {"b", "aabbc"}, {"a", "ac"}},
          {"a*?b+?c??d{2}?", {"bdd", "aabcdd"}, {"bd"}},
          {"a{2}", {"aa"}, {"a", "aaa"}},
          {"a{2,}", {"aa", "aaaaa"}, {"a"}},
          {"a{1,3}", {"a", "aaa"}, {"", "aaaa"}},
          {"a{0}b", {"b"}, {"ab"}},
          {"a{0,0}", {""}, {"a"}},
          {"(ab){2,3}", {"abab", "ababab"}, {"ab", "aba"}},
          {"(a*)*", {"", "aaa"}, {"b"}},
          {"((a*)+b?)*", {"", "ab", "ba", "bb"}, {"c"}},
          {"(a|b*)*c", {"c", "abbac"}, {"ab"}},
          {"x{", {"x{"}, {"x"}},
          {"x{a}", {"x{a}"}, {"x"}},
          {"x{,3}", {"x{,3}"}, {"x", "xxx", ""}},
          {"x{1,2", {"x{1,2"}, {"x"}},
          {"x{1, 2}", {"x{1, 2}"}, {"x"}},
          {"{", {"{"}, {""}},
          {"}]", {"}]"}, {}},
          {"a]b}", {"a]b}"}, {}},
          {"\xE2\x82\xAC+", {"\xE2\x82\xAC\xE2\x82\xAC"}, {"\xE2"}},
          {"a\nb", {"a\nb"}, {"anb"}},
          {std::string("a\0b", 3), {std::string("a\0b", 3)}, {"ab", "a"}},
      },
      RegexMatch::kFull);
}

TEST_CASE("escapes") {
  CheckRows(
      {
          {"\\n\\r\\t\\f\\v", {"\n\r\t\f\v"}, {"nrtfv"}},
          {"\\0", {std::string(1, '\0')}, {"0", ""}},
          {"\\cA\\cz\\cM", {"\x01\x1A\r"}, {}},
          {"\\x41\\x7e", {"A~"}, {}},
          {"\\x{41}\\x{1F600}", {"A\xF0\x9F\x98\x80"}, {}},
          {"\\u0041\\u20ac", {"A\xE2\x82\xAC"}, {}},
          {"\\u{41}\\u{0001f600}", {"A\xF0\x9F\x98\x80"}, {}},
          {"\\ud83d\\ude00", {"\xF0\x9F\x98\x80"}, {}},
          {"\\U0001F600", {"\xF0\x9F\x98\x80"}, {}},
          {"\\/\\-\\.\\*\\\\\\^\\$\\_\\ \\@", {"/-.*\\^$_ @"}, {}},
          {"\\{2\\}", {"{2}"}, {}},
          {"a\\{2}", {"a{2}"}, {"aa"}},
          {"[\\n\\x41\\u20ac\\cA\\b\\0]+", {"\nA\xE2\x82\xAC\x01\b"}, {"b", "n"}},
          {"[\\ud83d\\ude00]", {"\xF0\x9F\x98\x80"}, {}},
      },
      RegexMatch::kFull);
}

TEST_CASE("bracket classes") {
  CheckRows(
      {
          {"[abc]", {"a", "c"}, {"d", "", "ab"}},
          {"[a-c]", {"b"}, {"-", "d"}},
          {"[^a-c]", {"d", "\n", "\xE2\x82\xAC"}, {"a", "c", ""}},
          {"[a-]", {"a", "-"}, {"b"}},
          {"[-a]", {"a", "-"}, {"b"}},
          {"[^-a]", {"b"}, {"-", "a"}},
          {"[a-c-e]", {"b", "-", "e"}, {"d"}},
          {"[+--]", {"+", ",", "-"}, {"."}},
          {"[a\\-c]", {"a", "-", "c"}, {"b"}},
          {"[\\]]", {"]"}, {"\\"}},
          {"[\\]\\-a]", {"]", "-", "a"}, {"\\"}},
          {"[[]", {"["}, {"]"}},
          {"[[a]", {"[", "a"}, {}},
          {"[a^]", {"a", "^"}, {}},
          {"[.*+?(){}|$]", {".", "$", "|", "("}, {"a"}},
          {"[^]", {"a", "\n", "\xE2\x80\xA8"}, {"", "aa"}},
          {"[^][^]?", {"a", "ab"}, {""}},
          {"x|[]a]", {"x"}, {"a", "]", "a]"}},
          {"[\\d_]", {"7", "_"}, {"a"}},
          {"[^\\d_]", {"a"}, {"7", "_"}},
          {"[\\w.-]", {"a", ".", "-"}, {"+"}},
          {"[:alpha:]", {":", "a", "l"}, {"b"}},
          {"[\xC3\xA0-\xC3\xBF]", {"\xC3\xA9"}, {"e"}},
          {"[\\u007e-\\u0801]", {"~", "\xC3\xA9", "\xE0\xA0\x81"}, {"}", "\xE0\xA0\x82"}},
      },
      RegexMatch::kFull);
  CHECK(Full("[]a]")->states.empty());
}

TEST_CASE("classes mean what every engine agrees on") {
  CheckRows(
      {
          {"\\d", {"0", "9"}, {"a", "\xD9\xA3"}},
          {"\\D", {"a", "\xD9\xA3", "\n"}, {"0"}},
          {"\\w", {"a", "Z", "0", "_"}, {"-", "\xC3\xA9"}},
          {"\\W", {"-", "\xC3\xA9", "\n"}, {"a", "_"}},
          {"\\s", {" ", "\t", "\n", "\r", "\f", "\v"}, {"\xC2\xA0", "\x1C", "a"}},
          {"\\S",
           {"a", "\xC3\xA9", std::string(1, '\0')},
           {" ", "\n", "\xC2\xA0", "\x1C", "\x1F", "\xC2\x85", "\xE2\x80\xA8", "\xE3\x80\x80",
            "\xEF\xBB\xBF", "\xE1\x9A\x80"}},
          {"[^\\s]", {"a"}, {" ", "\xC2\xA0", "\x1C"}},
          {"[^\\S]", {" ", "\n"}, {"\xC2\xA0", "a"}},
          {"[^\\D]", {"5"}, {"a"}},
          {"[^\\W]", {"a", "_"}, {"-"}},
          {"[\\s\\S]", {"a", " ", "\n"}, {"\xC2\xA0"}},
          {".",
           {"a", "\xC3\xA9", "\t", "\v", "\xC2\x85"},
           {"\n", "\r", "\xE2\x80\xA8", "\xE2\x80\xA9", ""}},
          {"(?s).", {"a", "\n", "\r", "\xE2\x80\xA8"}, {""}},
          {"(?s:.)x.", {"\nxa"}, {"\nx\n"}},
      },
      RegexMatch::kFull);
  CHECK(AcceptsText(*Full(".", {false, true}), "\n"));
}

TEST_CASE("ignoring case") {
  CheckRows(
      {
          {"(?i)aBc1", {"abc1", "ABC1", "aBC1"}, {"abd1"}},
          {"(?i:a)b", {"ab", "Ab"}, {"aB"}},
          {"a(?i:b)c", {"aBc"}, {"abC"}},
          {"((?i)a)b", {"Ab"}, {"AB"}},
          {"((?i)a|b)c", {"Bc"}, {"bC"}},
          {"(?i)a(?-i:b)c", {"AbC"}, {"aBc"}},
          {"(?is)a.", {"A\n"}, {}},
          {"(?i)[a-c]", {"B"}, {"D"}},
          {"(?i)[^a-c]", {"d", "D"}, {"b", "B"}},
          {"(?i)k", {"k", "K"}, {"\xE2\x84\xAA"}},
          {"(?i)s", {"s", "S"}, {"\xC5\xBF"}},
          {"(?i)[^k]", {"j"}, {"k", "K", "\xE2\x84\xAA"}},
          {"(?i)[^s]", {"t"}, {"s", "S", "\xC5\xBF"}},
          {"(?i)[^i]", {"j"}, {"i", "I", "\xC4\xB0", "\xC4\xB1"}},
          {"(?i)\xC3\xA9", {"\xC3\xA9", "\xC3\x89"}, {"e"}},
          {"(?i)\xC3\x97", {"\xC3\x97"}, {"\xC3\xB7"}},
          {"(?i)\xCF\x83", {"\xCF\x83", "\xCE\xA3", "\xCF\x82"}, {}},
          {"(?i)\xD1\x8F", {"\xD1\x8F", "\xD0\xAF"}, {"R"}},
          {"(?i)[\xD0\xB0-\xD0\xB2]+", {"\xD0\xB0\xD0\x91"}, {"\xD0\xB3"}},
          {"(?i)\\u00e0", {"\xC3\x80"}, {}},
          {"(?i)\\x41", {"a"}, {}},
      },
      RegexMatch::kFull);
  CHECK(AcceptsText(*Full("ab", {true, false}), "aB"));
}

TEST_CASE("Unicode properties") {
  CheckRows(
      {
          {"\\p{L}+", {"a\xC3\xA9\xE6\xBC\xA2"}, {"1"}},
          {"\\p{Lu}", {"A", "\xC3\x89"}, {"a"}},
          {"\\p{Uppercase_Letter}", {"A"}, {"a"}},
          {"\\p{gc=Lu}\\p{General_Category=Ll}", {"Aa"}, {"aA"}},
          {"\\P{L}", {"1", " "}, {"a"}},
          {"\\pN", {"1", "\xD9\xA3"}, {"a"}},
          {"\\p{Nd}", {"1"}, {"a"}},
          {"\\p{Script=Greek}", {"\xCE\xB1"}, {"a"}},
          {"\\p{sc=Cyrillic}", {"\xD1\x8F"}, {"a"}},
          {"\\p{Han}", {"\xE6\xBC\xA2"}, {"a"}},
          {"\\p{Any}", {"a", "\n"}, {""}},
          {"\\p{ASCII}", {"a", "\x7F"}, {"\xC3\xA9"}},
          {"\\p{Alphabetic}", {"a", "\xC3\xA9"}, {"1"}},
          {"[\\p{L}\\d-]+", {"a-1"}, {"_"}},
          {"[^\\p{L}]", {"1"}, {"a"}},
          {"[\\P{L}]", {"1"}, {"a"}},
          {"(?i)\\P{Lu}", {"1"}, {"A", "a"}},
      },
      RegexMatch::kFull);
}

TEST_CASE("look-aheads at the start of the pattern") {
  CheckRows(
      {
          {"^(?=.*[a-z])(?=.*\\d).{3,5}$", {"a12", "1a234"}, {"abc", "123", "a1", "a12345"}},
          {"^(?!foo).*$", {"", "fo", "xfoo"}, {"foo", "foobar"}},
          {"^(?!foo$).*$", {"foobar"}, {"foo"}},
          {"(?!.*\\.\\.)[a-z.]+", {"a.b"}, {"a..b"}},
          {"(?=ab)a[bc]", {"ab"}, {"ac"}},
          {"(?=a$).*", {"a"}, {"ab"}},
          {"(?=)a", {"a"}, {}},
          {"x|y", {"x"}, {}},
          {"(?=a).|bc", {"a", "bc"}, {"b"}},
          {"(?i)(?=A)ab", {"AB", "ab"}, {}},
          {"^(?=a)^ab", {"ab"}, {}},
      },
      RegexMatch::kFull);
  CHECK(Full("(?!)a")->states.empty());
  CheckRows(
      {
          {"^(?!.*bad)", {"", "good"}, {"bad", "very bad"}},
          {"^(?=.*a)(?=.*b)", {"ab", "xbxa"}, {"a", "b"}},
          {"(?=ab)a", {"ab", "xxab"}, {"a", "ba"}},
          {"(?!ab)a", {"a", "ac", "abac", "ba"}, {"ab", "b"}},
          {"(?=^a)", {"a", "ab"}, {"ba"}},
          {"(?!^a)a", {"ba"}, {"a", "ab"}},
          {"(?=a)b|c", {"c", "abc"}, {"ab"}},
          {"(?=.{2,3}$)", {"ab", "abcdef", "a\nbc"}, {"", "a", "ab\nc"}},
          {"(?=.{0,3}$)", {"", "abcdef", "a\nb\n"}, {}},
          {"(?=.{0,3}$)b", {"b", "abca", "bbbbb"}, {"", "baaa", "b\n"}},
          {"^(?=.{2,3}$)a*b*", {"ab", "aaa", "xyz"}, {"", "a", "aaaa"}},
          {"^(?!.{2,3}$)a*b*$", {"", "a", "aabb"}, {"ab", "aab", "ba"}},
          {"(?=a$|bc)[a-c]", {"a", "bca", "xbc"}, {"ab", "acb"}},
          {"(?!b$)[ab]", {"a", "bb", "bx"}, {"b", "xb"}},
      },
      RegexMatch::kSearch);
}

TEST_CASE("a look-ahead up to the end is a bound on the length, however large") {
  Budget budget(kLimits);
  for (const char* pattern : {"(?=.{3,10000}$)[a-z]+", "^(?=[^]{3,10000}$)[a-z]+$"}) {
    CAPTURE(pattern);
    const auto texts = RegexTextsOf(pattern, RegexMatch::kFull, {}, budget);
    REQUIRE(texts.ok());
    CHECK(texts->lengths == LengthBounds{3, 10'000});
    CHECK(texts->chars.states.size() == 2);
  }
}

TEST_CASE("a look-ahead that is huge by itself is found beside its pattern") {
  const std::string address = "^(?=.{1,64}@.{4,64}$)[a-z.]+@[a-z-]+\\.[a-z]+$";
  CHECK(Search("^(?=.{1,64}@.{4,64}$)").error().verdict == Verdict::kTooLarge);
  CheckRows(
      {{address,
        {"a@b.c" + std::string(1, 'd'), std::string(64, 'x') + "@" + "ab.cd"},
        {"a@b.c", std::string(65, 'x') + "@" + "ab.cd", "a@" + std::string(62, 'b') + ".cd"}}},
      RegexMatch::kSearch);
}

TEST_CASE("a large count is a bound on the length where nothing else is open") {
  Budget budget(kLimits);
  const auto texts = RegexTextsOf("a{0,65535}", RegexMatch::kFull, {}, budget);
  REQUIRE(texts.ok());
  CHECK(texts->lengths == LengthBounds{0, 65'535});
  CHECK(texts->chars.states.size() == 1);
  const auto unrolled = Full("a{0,65535}");
  REQUIRE(unrolled.ok());
  CHECK(AcceptsText(*unrolled, std::string(65'535, 'a')));
  CHECK(!AcceptsText(*unrolled, std::string(65'536, 'a')));
}

struct Refused {
  std::string pattern;
  Verdict verdict;
  std::size_t offset;
};

TEST_CASE(
    "patterns that cannot be enforced are unsupported and malformed ones invalid, each with its "
    "place") {
  const Verdict unsupported = Verdict::kUnsupported, invalid = Verdict::kInvalid;
  const std::vector<Refused> rows{
      {"a\\1", unsupported, 1},
      {"(a)\\k<n>", unsupported, 3},
      {"(?P=n)", unsupported, 0},
      {"\\g{1}", unsupported, 0},
      {"a\\b", unsupported, 1},
      {"\\B", unsupported, 0},
      {"(?<=a)b", unsupported, 0},
      {"x(?<!a)b", unsupported, 1},
      {"a(?=b)", unsupported, 1},
      {"((?=b))", unsupported, 1},
      {"a|(?!b)", unsupported, 2},
      {"(?=a(?=b))", unsupported, 4},
      {"(?=a)*", unsupported, 5},
      {"(?>a)", unsupported, 0},
      {"a++", unsupported, 2},
      {"a*+", unsupported, 2},
      {"a?+", unsupported, 2},
      {"a{2}+", unsupported, 4},
      {"(?(1)a)", unsupported, 0},
      {"(?R)", unsupported, 0},
      {"(?1)", unsupported, 0},
      {"(?-1)", unsupported, 0},
      {"(?P>n)", unsupported, 0},
      {"(?&n)", unsupported, 0},
      {"(?|a)", unsupported, 0},
      {"(?#c)", unsupported, 0},
      {"\\K", unsupported, 0},
      {"\\G", unsupported, 0},
      {"\\R", unsupported, 0},
      {"\\X", unsupported, 0},
      {"[[:alpha:]]", unsupported, 1},
      {"x[a[:^digit:]]", unsupported, 3},
      {"(?m)a", unsupported, 0},
      {"(?x:a)", unsupported, 0},
      {"a(?i)b", unsupported, 1},
      {"a|(?i)b", unsupported, 2},
      {"(a", invalid, 0},
      {"xy(a(b)", invalid, 2},
      {"a)", invalid, 1},
      {"[a", invalid, 0},
      {"a[", invalid, 1},
      {"[a-", invalid, 0},
      {"[a\\]", invalid, 0},
      {"[^", invalid, 0},
      {"*a", invalid, 0},
      {"a|*", invalid, 2},
      {"(+a)", invalid, 1},
      {"{2}", invalid, 0},
      {"^*", invalid, 1},
      {"a$+", invalid, 2},
      {"(?i)*", invalid, 4},
      {"a**", invalid, 2},
      {"a+{2}", invalid, 2},
      {"a{2}{3}", invalid, 4},
      {"a*??", invalid, 3},
      {"a{3,2}", invalid, 1},
      {"\\ud800", invalid, 0},
      {"a\\udc00", invalid, 1},
      {"\\ud800\\u0041", invalid, 0},
      {"\\x{d800}", invalid, 0},
      {"\\x{110000}", invalid, 0},
      {"\\U00110000", invalid, 0},
      {"\\U0001F60", invalid, 0},
      {"\\x4", invalid, 0},
      {"\\u12", invalid, 0},
      {"\\u{}", invalid, 0},
      {"\\c1", invalid, 0},
      {"\\01", invalid, 0},
      {"[\\1]", invalid, 1},
      {"\\j", invalid, 0},
      {"\\", invalid, 0},
      {"a\\", invalid, 1},
      {"[z-a]", invalid, 1},
      {"[a-\\d]", invalid, 1},
      {"[\\w-z]", invalid, 1},
      {"\\p{Nope}", invalid, 0},
      {"\\p{Script=Nope}", invalid, 0},
      {"\\p{Age=5}", invalid, 0},
      {"\\p", invalid, 0},
      {"\\p{L", invalid, 0},
      {"(?<1n>a)", invalid, 0},
      {"(?<n", invalid, 0},
      {"(?P<>a)", invalid, 0},
      {"(?", invalid, 0},
      {"(?)", invalid, 0},
      {"(?~a)", invalid, 0},
      {"\xE2\x82\xAC\xC3\xA9(", invalid, 2},
  };
  for (const Refused& row : rows) {
    CAPTURE(row.pattern);
    for (const auto& result : {Full(row.pattern), Search(row.pattern)}) {
      REQUIRE(!result.ok());
      CAPTURE(result.error().message);
      CHECK(VerdictName(result.error().verdict) == std::string(VerdictName(row.verdict)));
      const std::string place = "regex, at character " + std::to_string(row.offset) + ": ";
      CHECK(result.error().message.rfind(place, 0) == 0);
    }
  }
  CHECK(Full("a\xFFz").error().message == "regex: byte 1 is not UTF-8");
}

TEST_CASE("limits are hit as verdicts") {
  for (const std::string& pattern :
       {std::string(100'000, '(') + std::string(100'000, ')'),
        std::string("((") + "a{1000}){1000}){1000}", std::string("a{1000001}"),
        std::string("a{0,65535}|b"), std::string("(a{0,65535}b?){2}"),
        std::string("a{99999999999999999999}"), std::string("(a|b)*a(a|b){30}"),
        std::string(70'000, 'a'), std::string("(((a?){999999}){999999}){999999}"),
        std::string("([ab]*c?[bc]*){5000}"), std::string(10'000, '(') + "a"}) {
    CAPTURE(pattern.substr(0, 40));
    const auto result = Full(pattern);
    REQUIRE(!result.ok());
    CHECK(VerdictName(result.error().verdict) == std::string("too_large"));
  }
}

TEST_CASE("long and deep patterns within the limits are read") {
  CHECK(Full(std::string(60'000, 'a'))->states.size() == 60'001);
  CHECK(AcceptsText(*Full(std::string(512, '(') + "a" + std::string(512, ')')), "a"));
  CHECK(Full(std::string(513, '(') + "a" + std::string(513, ')')).error().message ==
        "regex, at character 512: groups are nested deeper than 512");
  CHECK(AcceptsText(*Full("(a{100}){100}"), std::string(10'000, 'a')));
  std::string many = "a0";
  for (int i = 1; i < 5'000; ++i) many += "|a" + std::to_string(i);
  CHECK(AcceptsText(*Full(many), "a4999"));
  CHECK(!AcceptsText(*Full(many), "a5000"));
  std::string stars;
  for (int i = 0; i < 2'000; ++i) stars += "a*";
  CHECK(Full(stars)->states.size() == 1);
}

}  // namespace
}  // namespace sglrun::grammar
