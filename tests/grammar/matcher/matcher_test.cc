#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>
#include <optional>

#include "compile.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/spelling_check.h"
#include "random_grammar.h"
#include "reference_matcher.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

std::shared_ptr<const Vocabulary> Bytes() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<const Vocabulary>(texts, 256);
}

struct Verdicts {
  std::size_t prefix;  // bytes that begin a member
  bool member;
};
std::optional<Verdicts> MatcherSays(Matcher matcher, std::string_view text) {
  const std::size_t taken = matcher.AcceptBytes(text);
  if (matcher.failure()) {
    REQUIRE(matcher.failure()->verdict == Verdict::kTooLarge);
    return std::nullopt;
  }
  return Verdicts{taken, taken == text.size() && matcher.IsComplete()};
}

// False when the text is too ambiguous to be judged within the limits.
bool CompareText(const Grammar& grammar, const Matcher& matcher, const std::string& text) {
  CAPTURE(text);
  const std::optional<Verdicts> judged = MatcherSays(matcher, text);
  if (!judged) return false;
  const Verdicts& verdicts = *judged;
  CHECK(verdicts.member == IsMember(grammar, text));
  CHECK(IsPrefix(grammar, text.substr(0, verdicts.prefix)));
  if (verdicts.prefix < text.size()) {
    CHECK(!IsPrefix(grammar, text.substr(0, verdicts.prefix + 1)));
  }
  return true;
}

TEST_CASE("random grammars: members, prefixes and texts near them agree with the reference") {
  const auto bytes = Bytes();
  int compiled_count = 0, members = 0, unjudged = 0;
  for (int seed = 0; seed < Rounds(600); ++seed) {
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
    CHECK(CompareText(grammar, matcher, ""));
    for (int i = 0; i < 6; ++i) {
      std::string text = RandomMember(grammar, random);
      members += !text.empty();
      unjudged += !CompareText(grammar, matcher, text);
      unjudged += !CompareText(grammar, matcher, Mutate(text, random));
    }
  }
  CHECK(compiled_count > Rounds(300));
  CHECK(members > Rounds(1000));
  CHECK(unjudged < 10);
}

TEST_CASE("a token fits as text or as a token element, and special ids only as the latter") {
  const auto vocabulary =
      std::make_shared<const Vocabulary>(std::vector<std::string>{"a", "b", "", "ab", ""}, 8);
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Sequence({g.Bytes("a"), g.Tokens({2, 7}, false), g.Tokens({0, 2}, true),
                             g.Optional(g.Bytes("b"))}));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  Matcher matcher(*compiled, vocabulary);
  std::vector<std::uint32_t> words(1);
  CHECK(matcher.FillMask(words) == Matcher::Mask::kSome);
  CHECK(words[0] == 0b00001);
  CHECK(!matcher.AcceptToken(2));
  CHECK(matcher.AcceptToken(0));
  matcher.FillMask(words);
  CHECK(words[0] == 0b00100);  // 7 is outside the vocabulary
  CHECK(!matcher.AcceptToken(7));
  CHECK(matcher.AcceptToken(2));
  matcher.FillMask(words);
  CHECK(words[0] == 0b11010);
  CHECK(matcher.AcceptToken(1));
  CHECK(matcher.IsComplete());
  CHECK(matcher.CanContinue());
  CHECK(matcher.AcceptToken(1));
  CHECK(matcher.FillMask(words) == Matcher::Mask::kNone);
}

TEST_CASE("a copied matcher has the same state, and Takes does not change a matcher") {
  for (int seed = 0; seed < Rounds(60); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const auto vocabulary = std::make_shared<const Vocabulary>(RandomVocabulary(random, 200), 200);
    const Grammar grammar = RandomGrammar(random, {.rules = 3, .depth = 3});
    const auto compiled = Compile(grammar);
    if (!compiled.ok()) continue;
    Matcher matcher(*compiled, vocabulary);
    const auto mask_of = [&](Matcher& m) {
      std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary->words_per_mask()));
      m.FillMask(words);
      return words;
    };
    std::vector<Matcher> forks{matcher};
    std::vector<std::vector<std::uint32_t>> masks{mask_of(matcher)};
    for (int step = 0; step < 6; ++step) {
      const std::vector<std::uint32_t> words = mask_of(matcher);
      std::vector<std::int32_t> ids;
      for (std::int32_t id = 0; id < 200; ++id) {
        const bool may_come = (words[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0;
        CHECK(matcher.Takes(id) == may_come);
        if (may_come) ids.push_back(id);
      }
      if (ids.empty()) break;
      REQUIRE(matcher.AcceptToken(
          ids[static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())))]));
      forks.push_back(matcher);
      masks.push_back(mask_of(matcher));
    }
    for (std::size_t f = 0; f < forks.size(); ++f) CHECK(mask_of(forks[f]) == masks[f]);
  }
}

TEST_CASE("forced bytes end where there is a choice or the text may end") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Sequence({g.Bytes("{\"name\":"), g.Repeat(g.Bytes("x"), 40, 41)}));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  Matcher matcher(*compiled, Bytes());
  CHECK(matcher.ForcedBytes() == "{\"name\":" + std::string(40, 'x'));
  CHECK(matcher.AcceptBytes("{\"name\":" + std::string(40, 'x')) == 48);
  CHECK(matcher.ForcedBytes() == "");
}

TEST_CASE("free text reports that every text token is allowed") {
  Random random(1);
  const auto vocabulary =
      std::make_shared<const Vocabulary>(std::vector<std::string>{"a", "bc", "", "d", "xyz"}, 40);
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Repeat(g.Chars(CharSet::All()), 0, kUnbounded));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  Matcher matcher(*compiled, vocabulary);
  std::vector<std::uint32_t> words(2);
  CHECK(matcher.FillMask(words) == Matcher::Mask::kAllText);
  CHECK(words == std::vector<std::uint32_t>{0b11011, 0});
  CHECK(matcher.FillMask(words) == Matcher::Mask::kAllText);
}

TEST_CASE("a first token loses its leading space where the detokenizer takes it") {
  const auto vocabulary = std::make_shared<const Vocabulary>(
      std::vector<std::string>{" a", "a", " ", "  a", " b", "b", ""}, 7);
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Sequence({g.Bytes("a"), g.Bytes(" b")}));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  Matcher matcher(*compiled, vocabulary, Matcher::FirstSpace::kDropped);
  std::vector<std::uint32_t> words(1), slow(1);
  matcher.FillMask(words);
  matcher.FillMaskSlowly(slow);
  CHECK(words[0] == 0b0000111);
  CHECK(slow == words);
  CHECK(!matcher.AcceptToken(3));
  Matcher other = matcher;
  CHECK(other.AcceptToken(0));
  other.FillMask(words);
  CHECK(words[0] == 0b0010100);
  CHECK(matcher.AcceptToken(2));  // nothing is left of it
  matcher.FillMask(words);
  CHECK(words[0] == 0b0000010);
  CHECK(matcher.AcceptToken(1));
  CHECK(matcher.AcceptToken(4));
  CHECK(matcher.IsComplete());
}

TEST_CASE("whether single bytes can spell a member is proved through rules, calls and counts") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const ExprId letter = g.Chars(CharSet{{U'a', U'f'}});
  g.Define(root, g.Choice({g.Sequence({g.Bytes("("), g.Call(root), g.Bytes(")")}),
                           g.Sequence({g.Repeat(letter, 50, 60), g.Bytes("!")})}));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  const auto possible = [&](std::vector<std::string> texts) {
    const Vocabulary vocabulary(texts, 20);
    return HasMemberOver((*compiled)->program(), SingleBytes(vocabulary));
  };
  CHECK(possible({"c", "!", "ab"}));
  CHECK(possible({"(", ")", "f", "!"}));
  CHECK(!possible({"(", ")", "f", "a!"}));
  CHECK(!possible({"g", "!", "(", ")"}));
}

}  // namespace
}  // namespace sglrun::grammar
