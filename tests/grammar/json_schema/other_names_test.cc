#include "grammar/json_schema/other_names.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/utf8.h"
#include "grammar/json_schema/string_language.h"
#include "grammar/matcher/matcher.h"
#include "random_grammar.h"

namespace sglrun::grammar {
namespace {

using Names = std::set<std::string>;

// A matcher at the start of a name that is none of `names`: by their trie, or as a product.
Matcher Start(const Names& names, bool as_product) {
  const GrammarOptions options;
  Grammar grammar;
  GrammarReport report;
  Budget budget(options.limits);
  FrontEnd front{grammar, options, nullptr, budget, report};
  const StringConstraints others{.excluded = names};
  const ExprResult expr = as_product ? AppendString(front, others) : AppendOtherNames(front, names);
  REQUIRE(expr.ok());
  const RuleId root = grammar.AddRule("root");
  grammar.Define(root, *expr);
  grammar.SetRoot(root);
  const auto compiled = CompiledGrammar::Compile(grammar, budget);
  REQUIRE(compiled.ok());
  return {*compiled, std::make_shared<const Vocabulary>(std::vector<std::string>{"a"}, 1)};
}

bool Accepts(Matcher matcher, std::string_view text) {
  return matcher.AcceptBytes(text) == text.size() && matcher.IsComplete();
}

std::string Quoted(std::string_view body) {
  return '"' + std::string(body) + '"';
}

const Names kNames = {"", "a", "abc", "abd", "b", "\xC3\xA9t\xC3\xA9", "\xC3\xA8", "x\xE2\x82\xAC"};

TEST_CASE("every name but the given ones, and nothing that is no JSON string") {
  const Matcher others = Start(kNames, false), product = Start(kNames, true);
  const std::vector<std::string> pieces = {"a",
                                           "b",
                                           "c",
                                           "d",
                                           "t",
                                           "x",
                                           "\xC3\xA9",
                                           "\xC3\xA8",
                                           "\xE2\x82\xAC",
                                           "\xE2\x82\xAD",
                                           "\xF0\x9F\x98\x80",
                                           "\\n",
                                           "\\\"",
                                           "\\\\",
                                           "\\u001f",
                                           "\\u001F",
                                           "\\/",
                                           "\\u0061",
                                           "\\",
                                           "\"",
                                           "\x01",
                                           "\xC3",
                                           "\xA9",
                                           "\xED\xA0\x80",
                                           "\xE0\x80\x80",
                                           "\xF4\x90\x80\x80",
                                           " "};
  Random random(5);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string body;
    for (int n = Pick(random, 5); n > 0; --n) {
      body += pieces[static_cast<std::size_t>(Pick(random, static_cast<int>(pieces.size())))];
    }
    const std::string text = Quoted(body);
    CAPTURE(text);
    const bool accepts = Accepts(others, text);
    if (Accepts(product, text)) CHECK(accepts);
    if (!accepts) continue;
    ++accepted;
    const auto value = ParseJson(text, {});
    REQUIRE(value.ok());
    CHECK(!kNames.contains(value->value.as_string()));
  }
  CHECK(accepted > 2000);
}

TEST_CASE("the first character may be any whose spelling is raw, of one byte or of several") {
  for (const Names& names : {Names{"a"}, kNames}) {
    const Matcher others = Start(names, false);
    for (char32_t c = 1; c <= 0x10FFFF; c += c < 0x900 ? 1 : 0x3F) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      std::string name;
      AppendUtf8(name, c);
      const bool raw = c >= 0x20 && c != '"' && c != '\\';
      CAPTURE(c);
      CHECK(Accepts(others, Quoted(name)) == (raw && !names.contains(name)));
    }
    for (const char32_t c : {0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD7FF, 0xE000, 0xFFFF, 0x10000,
                             0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF}) {
      std::string name;
      AppendUtf8(name, c);
      CHECK(Accepts(others, Quoted(name)));
    }
  }
}

TEST_CASE("bytes that are no UTF-8 are no name") {
  const Matcher others = Start({"a"}, false);
  for (int first = 0x80; first <= 0xFF; ++first) {
    for (const int second : {0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0}) {
      for (const std::string_view rest : {"", "\x80", "\x80\x80", "\xBF\xBF", "\x80\x80\x80"}) {
        std::string name{static_cast<char>(first), static_cast<char>(second)};
        name += rest;
        CAPTURE(first);
        CAPTURE(second);
        CAPTURE(rest.size());
        CHECK(Accepts(others, Quoted(name)) == IsValidUtf8(name));
      }
    }
  }
}

}  // namespace
}  // namespace sglrun::grammar
