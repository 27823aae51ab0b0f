// Meant for ThreadSanitizer; the comparison holds without it too.
#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "compile.h"
#include "random_grammar.h"

namespace sglrun::grammar {
namespace {

using Masks = std::vector<std::vector<std::uint32_t>>;

// The masks along a walk that the seed chooses.
Masks Walk(Matcher matcher, const Vocabulary& vocabulary, std::uint64_t seed) {
  Random random(seed);
  Masks masks;
  for (int step = 0; step < 10; ++step) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary.words_per_mask()));
    matcher.FillMask(words);
    masks.push_back(words);
    std::vector<std::int32_t> ids;
    for (std::int32_t id = 0; id < vocabulary.logit_width(); ++id) {
      if (words[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) ids.push_back(id);
    }
    if (ids.empty()) break;
    const auto pick = static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())));
    matcher.AcceptToken(ids[pick]);
  }
  return masks;
}

TEST_CASE("matchers on several threads share the caches of one grammar and agree") {
  constexpr int kThreads = 4, kWalks = 6;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::vector<std::string> texts = RandomVocabulary(random, 300);
    const Grammar grammar =
        RandomGrammar(random, {.rules = 4, .depth = 3, .tokens = seed % 2 == 1});
    const auto alone = Compile(grammar);
    if (!alone.ok()) continue;
    const auto own = std::make_shared<const Vocabulary>(texts, 310);
    std::vector<Masks> expected;
    for (int walk = 0; walk < kWalks; ++walk) {
      expected.push_back(Walk(Matcher(*alone, own), *own, static_cast<std::uint64_t>(walk)));
    }
    const auto shared = Compile(grammar);
    REQUIRE(shared.ok());
    const auto vocabulary = std::make_shared<const Vocabulary>(texts, 310);
    std::vector<std::vector<Masks>> found(kThreads);
    {
      std::vector<std::jthread> threads;
      for (std::vector<Masks>& mine : found) {
        threads.emplace_back([&] {
          for (int walk = 0; walk < kWalks; ++walk) {
            mine.push_back(
                Walk(Matcher(*shared, vocabulary), *vocabulary, static_cast<std::uint64_t>(walk)));
          }
        });
      }
    }
    for (const std::vector<Masks>& masks : found) CHECK(masks == expected);
  }
}

}  // namespace
}  // namespace sglrun::grammar
