// AppendRegex against RegexDfa: the same language, as a Grammar.
#include <memory>

#include "grammar/ir/front_end.h"
#include "grammar/regex/regex.h"

#include <doctest/doctest.h>

#include "automaton/helpers.h"
#include "reference_matcher.h"
#include "regex/random_regex.h"

namespace sglrun::grammar {
namespace {

const GrammarOptions kOptions;

struct Built {
  Grammar grammar;
  GrammarReport report;
};

Result<std::unique_ptr<Built>, GrammarError> Build(std::string_view pattern, RegexFlags flags) {
  auto built = std::make_unique<Built>();
  Budget budget(kOptions.limits);
  FrontEnd front{built->grammar, kOptions, nullptr, budget, built->report};
  SGLRUN_ASSIGN_OR_RETURN(const ExprId expr, AppendRegex(front, pattern, flags));
  const RuleId root = built->grammar.AddRule("root");
  built->grammar.Define(root, expr);
  built->grammar.SetRoot(root);
  return built;
}

std::string BytesOf(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) out += static_cast<char>(c);
  return out;
}

TEST_CASE("random patterns mean the same as a grammar and as an automaton, spelled either way") {
  RandomRegex random(31);
  for (int round = 0; round < 300; ++round) {
    const std::string pattern = random.Pattern();
    CAPTURE(pattern);
    Budget budget(kOptions.limits);
    const auto chars = RegexDfa(pattern, RegexMatch::kFull, {}, budget);
    if (!chars.ok()) continue;  // too large as one automaton
    for (const bool json : {false, true}) {
      const auto built = Build(pattern, {false, false, json});
      REQUIRE(built.ok());
      const Dfa bytes = json ? *ToJsonString(*chars, budget) : *ToUtf8(*chars, budget);
      const Grammar& grammar = (*built)->grammar;
      for (int i = 0; i < 4 && !bytes.states.empty(); ++i) {
        std::string text = BytesOf(random.Member(bytes));
        REQUIRE(IsMember(grammar, text) == AcceptsBytes(bytes, text));
        if (!text.empty()) text.erase(random.Below(static_cast<std::uint32_t>(text.size())), 1);
        REQUIRE(IsMember(grammar, text) == AcceptsBytes(bytes, text));
      }
      REQUIRE(IsMember(grammar, "") == AcceptsBytes(bytes, ""));
      REQUIRE(IsMember(grammar, "a") == AcceptsBytes(bytes, "a"));
    }
  }
}

TEST_CASE("large counts stay counters, so that no limit of unrolling is met") {
  const auto built = Build("x[a-c]{2,100000}(yz){0,65535}", {});
  REQUIRE(built.ok());
  const Grammar& grammar = (*built)->grammar;
  CHECK(grammar.node_count() < 100);
  CHECK(IsMember(grammar, "xabyz"));
  CHECK(IsMember(grammar, "xabcabcyzyz"));
  CHECK(!IsMember(grammar, "xayz"));
  CHECK(!IsMember(grammar, "xaby"));
  const auto exponential = Build("(a|b)*a(a|b){30}", {});
  REQUIRE(exponential.ok());
  CHECK(IsMember((*exponential)->grammar, "ba" + std::string(30, 'b')));
  CHECK(!IsMember((*exponential)->grammar, "bb" + std::string(30, 'b')));
}

TEST_CASE("counters stop at both bounds") {
  const auto built = Build("(ab?){40,42}", {});
  REQUIRE(built.ok());
  for (int n = 38; n < 45; ++n) {
    CHECK(IsMember((*built)->grammar, std::string(static_cast<std::size_t>(n), 'a')) ==
          (n >= 40 && n <= 42));
  }
}

TEST_CASE("a pattern that matches nothing is an expression without members") {
  for (const char* pattern : {"a^b", "[]", "(?!)a", "(a$)b"}) {
    const auto built = Build(pattern, {});
    REQUIRE(built.ok());
    CHECK(!IsPrefix((*built)->grammar, ""));
  }
}

TEST_CASE("inside a JSON string a pattern speaks of the decoded text") {
  const auto built = Build("[\"\\\\\\n]x{50}\\x01?/", {false, false, true});
  REQUIRE(built.ok());
  const Grammar& grammar = (*built)->grammar;
  const std::string middle(50, 'x');
  CHECK(IsMember(grammar, "\\\"" + middle + "/"));
  CHECK(IsMember(grammar, "\\\\" + middle + "/"));
  CHECK(IsMember(grammar, "\\n" + middle + "\\u0001/"));
  CHECK(!IsMember(grammar, "\"" + middle + "/"));
  CHECK(!IsMember(grammar, "\n" + middle + "/"));
  CHECK(!IsMember(grammar, "\\n" + middle + "\\/"));
}

TEST_CASE("flags reach the pattern, and errors come through") {
  const auto built = Build("ab.", {true, true});
  REQUIRE(built.ok());
  CHECK(IsMember((*built)->grammar, "aB\n"));
  CHECK(Build("a\\b", {}).error().verdict == Verdict::kUnsupported);
  CHECK(Build(std::string(70'000, 'a'), {}).error().verdict == Verdict::kTooLarge);
}

TEST_CASE("groups as deep as the limit are built without deep recursion") {
  std::string star(512, '('), large(512, '(');
  star += "^a";
  large += "a{99}";
  for (int i = 0; i < 512; ++i) {
    star += i % 2 == 0 ? "|b)*" : "c|$)*";
    large += i % 2 == 0 ? "|b{99})*" : "c|d{99})*";
  }
  REQUIRE(Build(large, {}).ok());
  // A look-ahead is a product, which unrolls the repetitions.
  CHECK(Build("(?!" + large.substr(1, large.size() - 3) + "x)", {}).error().verdict ==
        Verdict::kTooLarge);
  for (const std::string& pattern : {star, large}) {
    for (const RegexMatch match : {RegexMatch::kFull, RegexMatch::kSearch}) {
      Budget budget(kOptions.limits);
      const auto dfa = RegexDfa(pattern, match, {}, budget);
      REQUIRE((dfa.ok() || dfa.error().verdict == Verdict::kTooLarge));
    }
  }
}

TEST_CASE("long patterns become small grammars, or large ones, but soon") {
  std::string choice = "a0";
  for (int i = 1; i < 4'000; ++i) choice += "|a" + std::to_string(i);
  for (const std::string& pattern :
       {std::string(60'000, 'a'), choice, std::string("(a?){30}") + std::string(30, 'a'),
        std::string("(([ab]{0,30}c){0,30}d){0,30}")}) {
    const auto built = Build(pattern, {});
    REQUIRE(built.ok());
  }
  const auto built = Build(choice, {});
  CHECK(IsMember((*built)->grammar, "a3999"));
  CHECK(!IsMember((*built)->grammar, "a4000"));
}

}  // namespace
}  // namespace sglrun::grammar
