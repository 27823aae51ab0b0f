#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>

#include "random_grammar.h"
#include "reference_matcher.h"

namespace sglrun::grammar {
namespace {

using Compiled = std::shared_ptr<const CompiledGrammar>;

Result<Compiled, GrammarError> Compile(const Grammar& grammar) {
  const Limits limits;
  Budget budget(limits);
  return CompiledGrammar::Compile(grammar, budget);
}

std::shared_ptr<const Vocabulary> Bytes() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<const Vocabulary>(texts, 256);
}

struct Verdicts {
  std::size_t prefix;  // bytes that begin a member
  bool member;
};
Verdicts MatcherSays(Matcher matcher, std::string_view text) {
  const std::size_t taken = matcher.AcceptBytes(text);
  REQUIRE(!matcher.failure().has_value());
  return {taken, taken == text.size() && matcher.IsComplete()};
}

void CompareText(const Grammar& grammar, const Matcher& matcher, const std::string& text) {
  CAPTURE(text);
  const Verdicts verdicts = MatcherSays(matcher, text);
  CHECK(verdicts.member == IsMember(grammar, text));
  CHECK(IsPrefix(grammar, text.substr(0, verdicts.prefix)));
  if (verdicts.prefix < text.size()) {
    CHECK(!IsPrefix(grammar, text.substr(0, verdicts.prefix + 1)));
  }
}

TEST_CASE("random grammars: members, prefixes and texts near them agree with the reference") {
  const auto bytes = Bytes();
  int compiled_count = 0, members = 0;
  for (int seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Grammar grammar = RandomGrammar(random, {.rules = 1 + seed % 5, .depth = 1 + seed % 4});
    const auto compiled = Compile(grammar);
    if (!compiled.ok()) {
      REQUIRE(compiled.error().verdict == Verdict::kUnsatisfiable);
      CHECK(!IsPrefix(grammar, ""));
      continue;
    }
    ++compiled_count;
    const Matcher matcher(*compiled, bytes);
    CompareText(grammar, matcher, "");
    for (int i = 0; i < 6; ++i) {
      std::string text = RandomMember(grammar, random);
      members += !text.empty();
      CompareText(grammar, matcher, text);
      CompareText(grammar, matcher, Mutate(text, random));
    }
  }
  CHECK(compiled_count > 300);
  CHECK(members > 1000);
}

}  // namespace
}  // namespace sglrun::grammar
