// Every element of EBNF (docs/constraints.md), in tables.
#include <algorithm>
#include <string>
#include <vector>

#include "ebnf/helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

Front Ebnf(std::string_view text, const Vocabulary* vocabulary = nullptr) {
  return Read(AppendEbnf, text, vocabulary);
}

void Check(const std::vector<LanguageCase>& cases) {
  CheckLanguages([](std::string_view text) { return Ebnf(text); }, cases);
}

struct RefusalCase {
  std::string grammar;
  Verdict verdict;
  std::string message;  // a part of it
};

void Check(const std::vector<RefusalCase>& cases) {
  for (const RefusalCase& c : cases) {
    CAPTURE(c.grammar);
    const Front front = Ebnf(c.grammar);
    REQUIRE_FALSE(front.ok());
    CAPTURE(front.error->message);
    CHECK(std::string(VerdictName(front.error->verdict)) == VerdictName(c.verdict));
    CHECK(front.error->message.find(c.message) != std::string::npos);
  }
}

std::string Nested(int depth) {
  std::string text = "root ::= ";
  for (int i = 0; i < depth; ++i) text += "(\"a\" | \"b\" ";
  return text + std::string(static_cast<std::size_t>(depth), ')');
}

TEST_CASE("rules begin at line starts and bodies break anywhere") {
  Check(std::vector<LanguageCase>{
      {"root ::= \"a\"", {"a"}, {"", "aa", "b"}},
      {"root ::= \"a\"\n  \"b\" |\n\"c\"\n", {"ab", "c"}, {"abc", "a"}},
      {"root ::= a\na ::= b \"!\"\nb ::= \"x\"", {"x!"}, {"x"}},
      {"b.c-d_1 ::= \"x\"\nroot ::= b.c-d_1 b.c-d_1", {"xx"}, {"x"}},
      {"  root ::= \"a\"   \n\n\n", {"a"}, {""}},
      {"root ::= \"a\" (\n\"b\"\n|\n\"c\"\n)\n", {"ab", "ac"}, {"a"}},
      {"root ::= x\nx ::=\nunused ::= x", {""}, {"x"}},
      {"root ::= a\n[b]\na ::= \"x\"", {"xb"}, {"x"}},
      {"root ::= \"a\"\r\n  | \"b\"\r\nother ::= \"c\"\r\n", {"a", "b"}, {"c", "\r\n"}},
      {"\xEF\xBB\xBFroot ::= \"a\"", {"a"}, {""}},
  });
}

TEST_CASE("comments and literals do not disturb each other") {
  Check(std::vector<LanguageCase>{
      {"# x ::= y\nroot ::= \"#\" # other ::= \"b\"\n \"c\"#", {"#c"}, {"#", "c"}},
      {"root ::= [#a] # c", {"#", "a"}, {"c"}},
      {"root ::= \"::=\" | \"b\"", {"::=", "b"}, {""}},
  });
}

TEST_CASE("escapes of literals mean characters") {
  Check(std::vector<LanguageCase>{
      {R"(root ::= "\"\\\/\'\?")", {"\"\\/'?"}, {}},
      {R"(root ::= "\n\r\t\b\f\a\v\e")", {"\n\r\t\b\f\a\v\x1B"}, {}},
      {R"(root ::= "\0")", {std::string(1, '\0')}, {"0"}},
      {R"(root ::= "\x41\xe9")", {"A\xC3\xA9"}, {"A\xE9"}},
      {R"(root ::= "\x9g")", {"\tg"}, {}},
      {R"(root ::= "\u00e9\U0001F600")", {"\xC3\xA9\xF0\x9F\x98\x80"}, {}},
      {R"(root ::= "\uD83D\uDE00")", {"\xF0\x9F\x98\x80"}, {}},
      {R"(root ::= "")", {""}, {"\""}},
  });
}

TEST_CASE("more than two hexadecimal digits after \\x are noted") {
  const Front front = Ebnf(R"(root ::= "\x411")");
  CHECK(front.Accepts("A1"));
  REQUIRE(front.report.notes.size() == 1);
  CHECK(front.report.notes[0].starts_with("line 1, column 11: \\x takes two digits"));
}

TEST_CASE("classes are sets of characters") {
  Check(std::vector<LanguageCase>{
      {"root ::= [a-c]", {"a", "b", "c"}, {"d", "-", ""}},
      {"root ::= [-a]", {"-", "a"}, {"b"}},
      {"root ::= [a-]", {"-", "a"}, {"b"}},
      {"root ::= [a-b-d]", {"a", "b", "-", "d"}, {"c"}},
      {R"(root ::= [\]\-a])", {"]", "-", "a"}, {"\\", "b"}},
      {R"(root ::= [^\x00-\x1F])", {" ", "\xC3\xA9", "\xF0\x9F\x98\x80"}, {"\n", "\x1F", "\xC3"}},
      {"root ::= [^a]", {"b", "\n"}, {"a", "", "bb"}},
      {"root ::= [^]", {"a", "\n", "\xF4\x8F\xBF\xBF"}, {"", "\xFF", "\xED\xA0\x80"}},
      {"root ::= .", {"a", "\n", "\xE2\x82\xAC"}, {"", "ab"}},
      {R"(root ::= [\u007e-\u0801])",
       {"~", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x81"},
       {"}", "\xE0\xA0\x82"}},
      {R"(root ::= [\U0001F600-\U0001F64F])", {"\xF0\x9F\x98\x80"}, {"\xF0\x9F\x99\x90"}},
      {R"(root ::= [\d_]+)", {"12_"}, {"a", ""}},
      {R"(root ::= [\w\s])", {"a", "_", " ", "\v"}, {"-", "\xC2\xA0"}},
      {R"(root ::= [\D])", {"a", "\n"}, {"5"}},
      {R"(root ::= [\S])", {"a", "5"}, {" ", "\xC2\xA0", "\xEF\xBB\xBF", "\x1C"}},
      {R"(root ::= [\W])", {"-", " "}, {"a", "_"}},
      {R"(root ::= [\^\$\.\*\+\(\)\[\]\{\}\|])", {"^", "$", ".", "*", "[", "}", "|"}, {"\\", "a"}},
      {"root ::= [\"]", {"\""}, {}},
  });
}

TEST_CASE("operators bind to the element before them") {
  Check(std::vector<LanguageCase>{
      {"root ::= \"ab\"*", {"", "ab", "abab"}, {"aba"}},
      {"root ::= \"a\"+", {"a", "aaa"}, {""}},
      {"root ::= \"a\"? \"b\"", {"b", "ab"}, {"a", "aab"}},
      {"root ::= \"a\"{2}", {"aa"}, {"a", "aaa"}},
      {"root ::= \"a\"{ 1 , 2 }", {"a", "aa"}, {"", "aaa"}},
      {"root ::= \"a\"{2,}", {"aa", "aaaa"}, {"a"}},
      {"root ::= \"a\"{0}", {""}, {"a"}},
      {"root ::= \"a\"{0,65535} \"b\"", {"b", "aab"}, {"a"}},
      {"root ::= ()", {""}, {"a"}},
      {"root ::= \"a\" |", {"a", ""}, {"b"}},
      {"root ::= | \"a\"", {"a", ""}, {"b"}},
      {"root ::= (\"a\" | \"b\" \"c\")+", {"abc", "bca"}, {"b"}},
      {"root ::= (\"a\"?)*", {"", "aa"}, {"b"}},
      {"root ::= \"a\" *", {"", "aa"}, {"b"}},
  });
}

TEST_CASE("recursion of every kind is read") {
  Check(std::vector<LanguageCase>{
      {"root ::= root \"a\" | \"a\"", {"a", "aaa"}, {"", "b"}},
      {"root ::= \"(\" root \")\" | \"\"", {"", "(())"}, {"(", "())"}},
      {"root ::= a\na ::= b \"x\" | \"y\"\nb ::= a", {"y", "yxx"}, {"x"}},
      {"root ::= (\"\")*", {""}, {"a"}},
      {"root ::= ((\"a\"?)*)+ \"b\"", {"b", "aab"}, {"a"}},
      {"root ::= root", {}, {"", "a"}},
  });
}

TEST_CASE("a look-ahead assertion has no effect on the language") {
  Check(std::vector<LanguageCase>{
      {"root ::= a \"c\"\na ::= \"b\" (= \"z\")", {"bc"}, {"bz", "bzc"}},
      {"root ::= a | \"d\" (=[a] a)\na ::= \"b\"", {"b", "d"}, {"da"}},
  });
}

TEST_CASE("mistakes are refused with line and column") {
  const Verdict invalid = Verdict::kInvalid;
  Check(std::vector<RefusalCase>{
      {"root ::= \"a\"\nroot ::= \"b\"", invalid, "line 2, column 1: the rule \"root\" is defined"},
      {"root ::= x", invalid, "line 1, column 10: the rule \"x\" is not defined"},
      {"root ::= nam\nname ::= \"a\"", invalid, "did you mean \"name\"?"},
      {"start ::= \"a\"", invalid, "there is no rule \"root\""},
      {"::= \"a\"", invalid, "line 1, column 1: \"::=\" has no name"},
      {"root ::= \"a\" ::= \"b\"", invalid, "\"::=\" has no name"},
      {"root ::= \"a\" b ::= \"b\"", invalid, "line 1, column 14: a rule must begin on a line"},
      {"1root ::= \"a\"", invalid, "a rule \"name ::= ...\" is expected, found \"1\""},
      {"root ::= \"a\n\"", invalid, "line 1, column 10: the literal is not closed"},
      {"root ::= \"a", invalid, "the literal is not closed"},
      {R"(root ::= "\q")", invalid, "line 1, column 11: there is no escape"},
      {R"(root ::= "\d")", invalid, "there is no escape"},
      {R"(root ::= "\x")", invalid, "\\x needs"},
      {R"(root ::= "\u12")", invalid, "\\u needs exactly four"},
      {R"(root ::= "\U00110000")", invalid, "not a character"},
      {R"(root ::= "\uD800")", invalid, "half of a surrogate pair"},
      {R"(root ::= "\uD800\u0041")", invalid, "half of a surrogate pair"},
      {"root ::= []", invalid, "the class [] is empty"},
      {"root ::= [z-a]", invalid, "line 1, column 11: the range z-a runs backwards"},
      {"root ::= [a\n]", invalid, "the class is not closed"},
      {R"(root ::= [\d-z])", invalid, "has a set as an end"},
      {"root ::= \"a\"{,3}", invalid, "a repetition is written"},
      {"root ::= \"a\"{3,2}", invalid, "bounds in the wrong order"},
      {"root ::= \"a\"{x}", invalid, "a repetition is written"},
      {"root ::= \"a\"*?", invalid, "\"?\" follows another operator"},
      {"root ::= \"a\"{2}+", invalid, "\"+\" follows another operator"},
      {"root ::= *", invalid, "\"*\" has nothing before it to repeat"},
      {"root ::= (\"a\"", invalid, "line 1, column 10: the parenthesis is not closed"},
      {"root ::= (\"a\"\nb ::= \"c\"", invalid, "the parenthesis is not closed"},
      {"root ::= \"a\")", invalid, "\")\" closes no parenthesis"},
      {"root ::= \"a\" \xC3\xA9 $", invalid, "line 1, column 14: a literal, a class"},
      {"root ::= \"a\" < \"b\"", invalid, "\"<\" begins a token"},
      {"root ::= \"a\" (= \"b\") \"c\"", invalid, "must be the last of its rule"},
      {"root ::= \"a\" (= \"b\") (= \"c\")", invalid, "must be the last of its rule"},
      {"root ::= ((= \"b\"))", invalid, "not inside parentheses"},
      {"root ::= \"a\" (= x)", invalid, "the rule \"x\" is not defined"},
      {"root ::= \"\xFF\"", invalid, "byte 10 of the grammar is not UTF-8"},
      {"start: \"a\" | b\nb: \"c\"", invalid, "this is a Lark grammar"},
      {"hello", invalid, "there is no rule"},
      {"root[max_chars=5] ::= \"a\" root | \"b\"", Verdict::kUnsupported,
       "line 1, column 6: the texts of \"root\" cannot be bounded: the rule \"root\" calls itself"},
      {"root ::= a\na[max_tokens=2] ::= \"x\" <[3]>", Verdict::kUnsupported, "tokens and text"},
      {"root[max_tokens=5] ::= a+\na[max_tokens=2] ::= \"x\"", Verdict::kUnsupported,
       "counted inside it already"},
      {"root[max_chars] ::= \"a\"", invalid, "a rule option is written max_chars=N"},
      {"root[max_chars=1,max_chars=2] ::= \"a\"", invalid, "given twice"},
      {"root[max_chars=1 max_tokens=2] ::= \"a\"", invalid, "\",\" or \"]\" is expected"},
      {"root[max_char=1] ::= \"a\"", invalid, "did you mean \"max_chars\"?"},
      {"root[max_chars=1000001] ::= [a]*", Verdict::kTooLarge, "at most 1000000"},
      {"root[max_chars=100000] ::= (\"ab\" | \"c\")*", Verdict::kTooLarge, "cannot be bounded"},
      {"root[lazy] ::= \"a\"", Verdict::kUnsupported, "line 1, column 6: the rule option \"lazy\""},
      {"root[lazzy] ::= \"a\"", invalid, "there is no rule option \"lazzy\""},
      {"root ::= \"a\"{1000001}", Verdict::kTooLarge, "up to 1000000"},
      {"root ::= \"a\"{99999999999999999999}", Verdict::kTooLarge, "up to 1000000"},
  });
}

TEST_CASE("max_chars ends a rule at its bound, or as soon as it can end") {
  Check(std::vector<LanguageCase>{
      {"root[max_chars=3] ::= [a-z]*", {"", "abc"}, {"abcd"}},
      {"root[max_chars=3] ::= [a-z]{5,}", {"abcde"}, {"abcd", "abcdef"}},
      {"root[ max_chars = 3 ] ::= [a-z]{2,9} \"!\"?", {"ab", "abc", "ab!"}, {"a", "abcd", "abc!"}},
      {"root ::= w \".\"\nw[max_chars=2] ::= \"\xC3\xA9\"* ",
       {".", "\xC3\xA9\xC3\xA9."},
       {"\xC3\xA9\xC3\xA9\xC3\xA9."}},
      // "ab" is a member of two characters: none goes beyond it.
      {"root[max_chars=2] ::= \"ab\" \"cd\"? | \"xyz\"", {"ab", "xyz"}, {"abcd"}},
      {"root[max_chars=0] ::= \"ab\"*", {""}, {"ab"}},
      {"root[max_chars=0] ::= \"ab\"+", {"ab"}, {"", "abab"}},
      // A bound inside a bounded rule holds in it, wherever it is defined.
      {"root[max_chars=5] ::= (w \" \")*\nw[max_chars=2] ::= [a-z]+",
       {"ab ab ", "ab a "},
       {"abc ", "ab ab a "}},
      {"root[max_chars=4, max_tokens=9] ::= TagDispatch((\"<\", x))\nx ::= \"y>\"",
       {"ab<y>", "abcd"},
       {"abcde", "ab<y>a"}},
      // A text whose length is counted already, in one automaton and in a counter beside it.
      {"root ::= w \".\"\nw[max_chars=3] ::= Regex(\"(?=.{2,20}$)[a-z\xC3\xA9]+(-[a-z]+)*\")",
       {"ab.", "\xC3\xA9\xC3\xA9\xC3\xA9.", "a-b."},
       {"a.", "abcd.", "\xC3\xA9.", "-a."}},
      {"root ::= w \".\"\nw[max_chars=3] ::= Regex(\"(?=.{2,3000}$)[a-z\xC3\xA9]+(-[a-z]+)*\")",
       {"ab.", "\xC3\xA9\xC3\xA9\xC3\xA9.", "a-b."},
       {"a.", "abcd.", "\xC3\xA9.", "-a."}},
  });
}

TEST_CASE("many rules and deep nesting are read, bottomless nesting is refused") {
  std::string many = "root ::= r0\n";
  for (int i = 0; i < 2000; ++i) {
    many +=
        "r" + std::to_string(i) + " ::= \"a\" r" + std::to_string((i + 1) % 2000) + " | \"b\"\n";
  }
  const Front rules = Ebnf(many);
  REQUIRE(rules.ok());
  CHECK(rules.Accepts("aab"));

  const Front deep = Ebnf(Nested(1000));
  REQUIRE(deep.ok());
  CHECK(deep.Accepts("a"));
  CHECK(deep.Accepts("ba"));
  CHECK_FALSE(deep.Accepts("b"));

  const Front bottomless = Ebnf(Nested(100'000));
  REQUIRE_FALSE(bottomless.ok());
  CHECK(bottomless.error->verdict == Verdict::kTooLarge);
}

TEST_CASE("a text above the limits is too large") {
  GrammarOptions options;
  options.limits.text_bytes = 20;
  CHECK(Read(AppendEbnf, "root ::= \"abcdefghijk\"", nullptr, options).error->verdict ==
        Verdict::kTooLarge);
  options = {};
  options.limits.nodes = 100;
  std::string text = "root ::= ";
  for (int i = 0; i < 200; ++i) text += "\"" + std::to_string(i) + "\" | ";
  CHECK(Read(AppendEbnf, text, nullptr, options).error->verdict == Verdict::kTooLarge);
}

TEST_CASE("token elements match one token") {
  const std::vector<std::string> texts = {"a", "b", "<|end|>", ""};
  const Vocabulary vocabulary(texts, 6);
  const Front front = Ebnf("root ::= \"x\" <[2]> \"y\" | !<[2]> | <<|end|>", &vocabulary);
  CHECK_FALSE(front.ok());  // "<<|end|>" is no entry

  const Front tokens = Ebnf("root ::= \"x\" <[2]> \"y\" | !<[1]>", &vocabulary);
  REQUIRE(tokens.ok());
  CHECK(tokens.Accepts(SymbolsOf("x") + TokenSymbols({2}) + SymbolsOf("y")));
  CHECK_FALSE(tokens.Accepts("xy"));
  CHECK(tokens.Accepts(TokenSymbols({0})));
  CHECK_FALSE(tokens.Accepts(TokenSymbols({1})));

  const Front macros = Ebnf("root ::= Token(0, 1) ExcludeToken(1)", &vocabulary);
  REQUIRE(macros.ok());
  CHECK(macros.Accepts(TokenSymbols({1, 0})));
  CHECK_FALSE(macros.Accepts(TokenSymbols({0, 1})));

  CHECK(Ebnf("root ::= <[5]>", &vocabulary).error->message ==
        "line 1, column 10: the vocabulary has no token 5");
  CHECK(Ebnf("root ::= <[x]>").error->message.find("holds one token id") != std::string::npos);
  CHECK(Ebnf("root ::= <|end|>").error->verdict == Verdict::kUnsupported);  // no tokenizer
}

TEST_CASE("TagDispatch is free text in which a tag forces its rule") {
  const std::string rules = "\na ::= \"1\"\nb ::= \"2\" | \"\"\nc ::= \"3\"";
  Check(std::vector<LanguageCase>{
      {"root ::= TagDispatch((\"<a>\", a), (\"<b>\", b))" + rules,
       {"", "free", "<a", "<a>1", "x<a>1y<a>1", "<<a>1", "<b>", "<b>2<b>", "<a>1<a"},
       {"<a>", "<a>2", "x<a>y"}},
      {"root ::= TagDispatch((\"<a>\", a), loop_after_dispatch=false)" + rules,
       {"", "x", "x<a>1"},
       {"x<a>1y", "<a>1<a>1"}},
      {"root ::= TagDispatch((\"<a>\", a), excludes=(\"no\", \"<x>\"))" + rules,
       {"n", "o", "<x", "n<a>1", "nx", "<a>1n"},
       {"no", "xno", "<x>", "nno"}},
      {"root ::= TagDispatch(excludes=(\"no\",))", {"", "abc", "n n"}, {"no", "ano"}},
      {"root ::= TagDispatch()", {"", "abc", "\xFF"}, {}},
      // "ab" is complete first, and "xabc", which began before it, may still come.
      {"root ::= TagDispatch((\"xabc\", a), (\"ab\", c))" + rules,
       {"xab3", "xabc1"},
       {"xabc", "xab", "xabc3"}},
      // Both end together: the one that began first decides.
      {"root ::= TagDispatch((\"xab\", a), (\"ab\", c))" + rules, {"xab1", "ab3"}, {"xab3", "ab1"}},
  });
  Check(std::vector<RefusalCase>{
      {"root ::= TagDispatch((\"\", root))", Verdict::kInvalid, "a tag must not be empty"},
      {"root ::= TagDispatch((\"a\", x))", Verdict::kInvalid, "\"x\" is not defined"},
      {"root ::= TagDispatch((\"a\", root), loop=true)", Verdict::kInvalid,
       "there is no argument \"loop\""},
      {"root ::= TagDispatch((\"ab\", root), excludes=(\"a\"))", Verdict::kInvalid,
       "occurs in the tag \"ab\""},
      {"root ::= TagDispatch((\"a\", root), (\"a\", root))", Verdict::kInvalid, "given twice"},
      {"root ::= TagDispatch(\"a\")", Verdict::kInvalid, "(\"tag\", rule) is expected"},
      {"root ::= TagDispatch((\"a\", root),)", Verdict::kInvalid, "not a list of arguments"},
      {"root ::= TagDispatch((\"a\", root)", Verdict::kInvalid, "the parenthesis is not closed"},
      {"root ::= TagDispatch(excludes=(((((\"a\"))))))", Verdict::kInvalid, "nested too deep"},
  });
}

TEST_CASE("TokenTagDispatch does the same over tokens") {
  const Front front = Ebnf("root ::= TokenTagDispatch((7, a), excludes=(9,))\na ::= \"1\"");
  REQUIRE(front.ok());
  CHECK(front.Accepts(""));
  CHECK(front.Accepts(TokenSymbols({1, 2})));
  CHECK(front.Accepts(TokenSymbols({1, 7}) + SymbolsOf("1") + TokenSymbols({3})));
  CHECK_FALSE(front.Accepts(TokenSymbols({7})));
  CHECK_FALSE(front.Accepts(TokenSymbols({9})));
  CHECK_FALSE(front.Accepts(TokenSymbols({7, 1})));
  CHECK(Ebnf("root ::= TokenTagDispatch((7, root), excludes=(7,))").error->verdict ==
        Verdict::kInvalid);
}

TEST_CASE("Substring is any run of neighbouring chunks") {
  Check(std::vector<LanguageCase>{
      {"root ::= Substring(\"ab\", \"c\", \"ab\", \"d\")",
       {"", "ab", "c", "abc", "abcab", "cabd", "abd", "d", "abcabd"},
       {"a", "cd", "abab", "dab", "abcd"}},
      {"root ::= Substring()", {""}, {"a"}},
      {"root ::= Substring(\"a\", \"a\", \"a\")", {"", "a", "aaa"}, {"aaaa"}},
  });
}

TEST_CASE("every run of a random chunk list is accepted, and nothing else") {
  const std::vector<std::string> chunks = {"a", "b", "a", "a", "b", "ab", "b", "a", "ab", "b"};
  std::string list;
  std::vector<std::string> runs = {""};
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    list += (i == 0 ? "\"" : ", \"") + chunks[i] + "\"";
    std::string run;
    for (std::size_t j = i; j < chunks.size(); ++j) runs.push_back(run += chunks[j]);
  }
  const Front front = Ebnf("root ::= Substring(" + list + ")");
  for (int bits = 0; bits < (1 << 8); ++bits) {
    for (int length = 0; length <= 7; ++length) {
      std::string text;
      for (int i = 0; i < length; ++i) text += (bits >> i & 1) != 0 ? 'b' : 'a';
      CAPTURE(text);
      CHECK(front.Accepts(text) == (std::find(runs.begin(), runs.end(), text) != runs.end()));
    }
  }
}

TEST_CASE("Regex holds a pattern") {
  Check(std::vector<LanguageCase>{
      {R"(root ::= "<" Regex("[a-c]+\\d") ">")", {"<ab1>"}, {"<1>", "ab1"}},
      {R"(root ::= Regex("ab", flags="i"))", {"ab", "AB"}, {"a"}},
      {R"(root ::= Regex(pattern="a.b", flags="s"))", {"a\nb", "axb"}, {"ab"}},
  });
  Check(std::vector<RefusalCase>{
      {"root ::= Regex(\"(\")", Verdict::kInvalid, "line 1, column 10: Regex: "},
      {"root ::= Regex(\"a\", flags=\"q\")", Verdict::kInvalid, "flags are made of the letters"},
      {"root ::= Regex(\"a\", flag=\"i\")", Verdict::kInvalid, "did you mean \"flags\"?"},
      {"root ::= Regex()", Verdict::kInvalid, "the pattern is missing"},
      {"root ::= Regex(\"a\", pattern=\"b\")", Verdict::kInvalid, "given twice"},
      {"root ::= Regex(1)", Verdict::kInvalid, "a string is expected"},
  });
}

TEST_CASE("a name before a parenthesis that is no macro is a rule") {
  Check(std::vector<LanguageCase>{{"root ::= a(\"b\")\na ::= \"x\"", {"xb"}, {"x"}}});
}

}  // namespace
}  // namespace sglrun::grammar
