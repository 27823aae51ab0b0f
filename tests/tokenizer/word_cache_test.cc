#include "tokenizer/word_cache.h"

#include <map>
#include <random>
#include <string>

// Behind all others: its CHECK takes the place of ours.
#include <doctest/doctest.h>

namespace sglrun::tokenizer {
namespace {

using Ids = std::vector<TokenId>;

TEST_CASE("a word comes back with its own ids or not at all") {
  // Few letters, so that words resemble each other; many words, so that they push each other out.
  WordCache cache;
  std::mt19937 random(5);
  std::map<std::string, Ids> all;
  int repeated = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string word(i % 3 == 0 ? 25 + random() % 231 : 1 + random() % 24, 'a');
    for (int k = 0; k < 3; ++k) word[random() % word.size()] = static_cast<char>(random() % 3);
    Ids& ids = all[word];
    if (ids.empty()) ids.assign(1 + random() % 9, i);
    Ids out = {-1};
    if (cache.Repeat(word, out)) {
      ++repeated;
      REQUIRE(Ids(out.begin() + 1, out.end()) == ids);
    } else {
      REQUIRE(out == Ids{-1});
      cache.Remember(word, ids);
      if (i % 8 == 0) REQUIRE(cache.Repeat(word, out));
    }
  }
  CHECK(repeated > 500);
}

TEST_CASE("words without bytes, long words and words of many ids are not kept") {
  WordCache cache;
  Ids out;
  cache.Remember("", Ids{1});
  CHECK_FALSE(cache.Repeat("", out));
  const std::string long_word(256, 'a');
  cache.Remember(long_word, Ids{1});
  CHECK_FALSE(cache.Repeat(long_word, out));
  cache.Remember("word", Ids(10, 1));
  CHECK_FALSE(cache.Repeat("word", out));
}

TEST_CASE("a cache that was given back is lent again with what it knows") {
  WordCachePool pool;
  auto cache = pool.Take();
  cache->Remember("a", Ids{3});
  auto other = pool.Take();
  Ids out;
  CHECK_FALSE(other->Repeat("a", out));
  pool.GiveBack(std::move(cache));
  CHECK(pool.Take()->Repeat("a", out));
  CHECK(out == Ids{3});
}

}  // namespace
}  // namespace sglrun::tokenizer
