#include "grammar/json_schema/value_spelling.h"

#include <doctest/doctest.h>

#include "grammar/base/json_text.h"
#include "reference_matcher.h"

namespace sglrun::grammar {
namespace {

// The texts that an enum of these values may be written as.
Grammar Spelled(std::string_view array, const Layout& layout, int depth = 0) {
  const Json values = ParseSchemaText(array, Limits{}).value().value;
  std::vector<const Json*> pointers;
  for (const Json& value : values.as_array()) pointers.push_back(&value);
  Grammar grammar;
  const GrammarOptions options;
  Budget budget(options.limits);
  GrammarReport report;
  FrontEnd front{grammar, options, nullptr, budget, report};
  const ExprResult expr = AppendValues(front, pointers, layout, depth);
  REQUIRE(expr.ok());
  const RuleId root = grammar.AddRule("root");
  grammar.Define(root, *expr);
  grammar.SetRoot(root);
  return grammar;
}

void Check(const Grammar& grammar, std::initializer_list<std::string> members,
           std::initializer_list<std::string> others) {
  for (const std::string& text : members) {
    CAPTURE(text);
    CHECK(IsMember(grammar, text));
  }
  for (const std::string& text : others) {
    CAPTURE(text);
    CHECK_FALSE(IsMember(grammar, text));
  }
}

TEST_CASE("a string has one spelling, with necessary escapes only") {
  Check(Spelled(R"(["a\"b\\c\/d", "\u00e9\n\t\b\f\r\u0001\u001f\u007f", "\ud83d\ude00", ""])", {}),
        {R"("a\"b\\c/d")", "\"\xC3\xA9\\n\\t\\b\\f\\r\\u0001\\u001f\x7F\"", "\"\xF0\x9F\x98\x80\"",
         R"("")"},
        {R"("a\"b\\c\/d")", R"("a")", R"("\ud83d\ude00")", "\"\xC3\xA9\n\"", R"("\u00e9")"});
  CHECK_EQ(SpellString("a\"\x01"), R"("a\"\u0001")");
}

TEST_CASE("a number is spelled as in the schema and, if integral, in plain digits") {
  Check(Spelled("[1.0, 2e3, 0.50, -7, -0.0, 12e-1]", {}),
        {"1.0", "1", "2e3", "2000", "0.50", "-7", "-0.0", "0", "12e-1"},
        {"1e0", "1.00", "2000.0", "0.5", "-7.0", "-0", "1.2", ""});
  const std::string digits(70, '9');
  Check(Spelled("[" + digits + ", 1e100]", {}), {digits, "1e100"}, {"1" + std::string(100, '0')});
}

TEST_CASE("literals and no values at all") {
  Check(Spelled("[null, true, false]", {}), {"null", "true", "false"}, {"True", "0", "nul", ""});
  Check(Spelled("[]", {}), {}, {"", "null", "[]"});
}

constexpr std::string_view kContainers = R"([{"b": [1, {}], "a": {"x": "y"}}, [], {}])";

TEST_CASE("containers are written with flexible blanks") {
  const Grammar grammar = Spelled(kContainers, {});
  Check(grammar,
        {R"({"b":[1,{}],"a":{"x":"y"}})", R"({ "b" : [ 1 , { } ] , "a" : { "x" : "y" } })",
         "{\n\t\"b\":[1,{\t}],\n\t\"a\":{\"x\":\"y\"}\n}", "[]", "[ \n]", "{}", "{  }",
         "[" + std::string(32, ' ') + "]"},
        {R"({"a":{"x":"y"},"b":[1,{}]})", "{\"b\":[1,{}],\r\"a\":{\"x\":\"y\"}}", " []", "[] ",
         "[" + std::string(33, ' ') + "]", R"({"b":[1,{}],"a":{"x":"y"},})", "[1]"});
  Layout free;
  free.max_whitespace = kUnbounded;
  Check(Spelled("[[]]", free), {"[" + std::string(100, '\n') + "]"}, {"[\r]"});
  Layout none;
  none.max_whitespace = 0;
  Check(Spelled("[[1]]", none), {"[1]"}, {"[ 1]", "[1 ]"});
}

TEST_CASE("compact containers have one separator each") {
  Layout layout;
  layout.policy = WhitespacePolicy::kCompact;
  Check(Spelled(kContainers, layout), {R"({"b": [1, {}], "a": {"x": "y"}})", "[]", "{}"},
        {R"({"b":[1,{}],"a":{"x":"y"}})", "[ ]", "{ }", R"({"b": [1,{}], "a": {"x": "y"}})"});
  layout.item_separator = ",";
  layout.key_separator = ":";
  Check(Spelled(kContainers, layout), {R"({"b":[1,{}],"a":{"x":"y"}})"},
        {R"({"b": [1, {}], "a": {"x": "y"}})"});
}

TEST_CASE("indented containers take a line a member") {
  GrammarOptions options;
  options.whitespace = WhitespacePolicy::kIndent;
  options.json_indent = 2;
  const Layout layout = Layout::From(options);
  const std::string text =
      "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": {\n    \"x\": \"y\"\n  }\n}";
  Check(Spelled(kContainers, layout), {text, "[]", "{}"},
        {R"({"b": [1, {}], "a": {"x": "y"}})", "[\n]", text + "\n"});
  Check(Spelled("[[1]]", layout, 1), {"[\n    1\n  ]"}, {"[\n  1\n]"});
}

}  // namespace
}  // namespace sglrun::grammar
