// Bounds on characters that a counter keeps beside an automaton, against one automaton that counts.
#include "grammar/automaton/length_sets.h"
#include "grammar/automaton/work.h"
#include "grammar/compile/constraint.h"
#include "grammar/ir/counted_text.h"
#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>

#include "compile.h"
#include "random_grammar.h"
#include "reference_matcher.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

// Over characters of one to three bytes, those of JSON escapes among them.
Dfa RandomChars(Random& random, Budget& budget) {
  Dfa dfa;
  const int states = 1 + Pick(random, 5);
  for (int s = 0; s < states; ++s) {
    Dfa::State state;
    state.accepting = Pick(random, 2) == 0;
    char32_t from = 0;
    for (const char32_t c : {U'\x01', U'\n', U'"', U'\\', U'a', U'b', U'n', U'\xE9', U'\x20AC'}) {
      if (c < from || Pick(random, 3) == 0) continue;
      state.edges.push_back({c, c, Pick(random, states)});
      from = c + 1;
    }
    dfa.states.push_back(std::move(state));
  }
  const DfaResult minimal = Minimize(dfa, budget);
  REQUIRE(minimal.ok());
  return *minimal;
}

struct Pair {
  Grammar counted, product;
};

// "<", the text, ">" or "a": where the text goes on as it may end, both are followed.
void Finish(Grammar& grammar, ExprId text, bool ends_like_text) {
  const RuleId root = grammar.AddRule("root");
  grammar.SetRoot(root);
  const ExprId end = grammar.Bytes(ends_like_text ? "a" : ">");
  grammar.Define(root, grammar.Sequence({grammar.Bytes("<"), text, end}));
}

std::optional<Pair> RandomPair(Random& random) {
  const Limits limits;
  Budget budget(limits);
  const Dfa chars = RandomChars(random, budget);
  if (IsEmpty(chars)) return std::nullopt;
  const std::int64_t min = Pick(random, 5), max = min + Pick(random, 12);
  const bool json = Pick(random, 2) == 0, like_text = Pick(random, 2) == 0;
  const DfaResult bounded = BoundLength(chars, min, max, budget);
  REQUIRE(bounded.ok());
  if (IsEmpty(*bounded)) return std::nullopt;
  Pair pair;
  const DfaResult bytes = json ? ToJsonString(*bounded, budget) : ToUtf8(*bounded, budget);
  Finish(pair.product, pair.product.Regular(*bytes), like_text);
  const DfaResult countable =
      json ? ToCountableJsonString(chars, budget) : ToCountableUtf8(chars, budget);
  REQUIRE(countable.ok());
  Work work(budget, "testing");
  const auto lengths = LengthSets::Of(LengthGraph::OfBytes(*countable), max, work);
  REQUIRE(lengths);
  node::CharLimit limit{.min = min, .max = max};
  limit.empty = min == 0 && chars.states[0].accepting;
  limit.others = lengths->Any(0, std::max<std::int64_t>(min, 1), max);
  Finish(pair.counted, pair.counted.LimitChars(*countable, limit), like_text);
  return pair;
}

std::shared_ptr<const Vocabulary> RandomTokens(Random& random) {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (int n = 2 + Pick(random, 6); n > 0; --n) {
      static const std::string_view kParts[] = {"a",    "b",        "n",        "\"",      "\\n",
                                                "\\\"", "\\\\",     "<",        "\\u0001", ">",
                                                "a>",   "\xC3\xA9", "\xE2\x82", "\xAC",    "\n"};
      text += kParts[Pick(random, static_cast<int>(std::size(kParts)))];
    }
    texts.push_back(text);
  }
  const auto size = static_cast<std::int64_t>(texts.size());
  return std::make_shared<const Vocabulary>(texts, size);
}

std::vector<std::uint32_t> MaskOf(Matcher& matcher, const Vocabulary& vocabulary) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary.words_per_mask()));
  matcher.FillMask(words);
  return words;
}

TEST_CASE("a counter beside an automaton allows what one automaton that counts allows") {
  for (int seed = 0; seed < Rounds(400); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const auto pair = RandomPair(random);
    if (!pair) continue;
    const auto counted = Compile(pair->counted), product = Compile(pair->product);
    REQUIRE(counted.ok());
    REQUIRE(product.ok());
    const auto vocabulary = RandomTokens(random);
    for (int walk = 0; walk < 3; ++walk) {
      Matcher a(*counted, vocabulary), b(*product, vocabulary);
      for (int step = 0; step < 20; ++step) {
        const auto mask = MaskOf(a, *vocabulary);
        REQUIRE(mask == MaskOf(b, *vocabulary));
        std::vector<std::uint32_t> slow(mask.size());
        if (a.FillMaskSlowly(slow)) CHECK(mask == slow);
        CHECK(a.IsComplete() == b.IsComplete());
        CHECK(a.CanContinue() == b.CanContinue());
        CHECK(a.ForcedBytes() == b.ForcedBytes());
        std::vector<std::int32_t> ids;
        for (std::int32_t id = 0; id < static_cast<std::int32_t>(vocabulary->logit_width()); ++id) {
          if (mask[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) ids.push_back(id);
        }
        if (ids.empty()) break;
        const auto id = ids[static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())))];
        REQUIRE(a.AcceptToken(id));
        REQUIRE(b.AcceptToken(id));
      }
    }
  }
}

TEST_CASE("the reference matcher counts characters as the counter does") {
  for (int seed = 0; seed < Rounds(60); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const auto pair = RandomPair(random);
    if (!pair) continue;
    const auto counted = Compile(pair->counted);
    REQUIRE(counted.ok());
    const auto vocabulary = RandomTokens(random);
    for (int i = 0; i < 40; ++i) {
      std::string text = "<";
      for (int n = Pick(random, 8); n > 0; --n) text += vocabulary->Text(256 + Pick(random, 150));
      Matcher matcher(*counted, vocabulary);
      const std::size_t taken = matcher.AcceptBytes(text);
      CAPTURE(text);
      CHECK((taken == text.size()) == IsPrefix(pair->counted, text));
      CHECK((taken == text.size() && matcher.IsComplete()) == IsMember(pair->counted, text));
    }
  }
}

TEST_CASE("lengths that lead to an end are found with their gaps") {
  const Limits limits;
  Budget budget(limits);
  // (aa)*: all even lengths; (aaa)|(a{7,}): 3, and 7 and more.
  Dfa even;
  even.states.resize(2);
  even.states[0] = {{{'a', 'a', 1}}, true};
  even.states[1] = {{{'a', 'a', 0}}, false};
  Work work(budget, "testing");
  const auto of_even = LengthSets::Of(LengthGraph::OfCharacters(even), 100, work);
  REQUIRE(of_even);
  CHECK(of_even->Any(0, 4, 4));
  CHECK(!of_even->Any(0, 5, 5));
  CHECK(of_even->Any(0, 5, 6));
  CHECK(of_even->Any(1, 99, 99));
  CHECK(!of_even->endless());
  const DfaResult gap =
      Unite(*LengthBetween(3, 3, budget), *LengthBetween(7, std::nullopt, budget), budget);
  REQUIRE(gap.ok());
  const auto of_gap = LengthSets::Of(LengthGraph::OfCharacters(*gap), 1'000'000, work);
  REQUIRE(of_gap);
  CHECK(!of_gap->Any(0, 0, 2));
  CHECK(of_gap->Any(0, 3, 3));
  CHECK(!of_gap->Any(0, 4, 6));
  CHECK(of_gap->Any(0, 4, 7));
  CHECK(of_gap->Any(0, 999'999, 999'999));
  CHECK(of_gap->horizon() == 7);
  CHECK(of_gap->endless());
}

}  // namespace
}  // namespace sglrun::grammar
