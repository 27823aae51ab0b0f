#include "tokenizer/merge_table.h"
#include "tests/rounds.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/stop_flag.h"

namespace sglrun::tokenizer {
namespace {

// The definition, word for word: the lowest rank, the leftmost first, until none is left.
std::vector<TokenId> NaiveApply(const MergeTable& merges, std::vector<TokenId> ids) {
  while (true) {
    std::size_t best = ids.size();
    std::uint32_t rank = Merge::kNone;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const Merge merge = merges.Find(ids[i], ids[i + 1]);
      if (merge.rank < rank) {
        rank = merge.rank;
        best = i;
      }
    }
    if (best == ids.size()) return ids;
    ids[best] = merges.Find(ids[best], ids[best + 1]).result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

std::uint32_t Next(std::uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Ranks repeat in some rounds, as equal scores of SentencePiece do, and in some a merge makes pairs
// of lower rank than its own, which no training does.
MergeTable RandomMerges(int round, std::uint32_t letters, std::uint32_t& state) {
  constexpr std::uint32_t kCount = 24;
  MergeTable merges;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t tokens = letters + i;
    const std::uint32_t ranks[] = {i, i / 3, kCount - i, Next(state) % 8};
    merges.Set(static_cast<TokenId>(Next(state) % tokens),
               static_cast<TokenId>(Next(state) % tokens),
               {ranks[round % 4], static_cast<TokenId>(tokens)});
  }
  return merges;
}

void CheckRandomWords(int rounds, const std::vector<std::size_t>& lengths) {
  std::uint32_t state = 1;
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t letters = 2 + Next(state) % 4;
    const MergeTable merges = RandomMerges(round, letters, state);
    for (const std::size_t length : lengths) {
      std::vector<TokenId> word(length);
      for (TokenId& id : word) id = static_cast<TokenId>(Next(state) % letters);
      std::vector<TokenId> out;
      merges.Apply(word, out);
      CAPTURE(round);
      CAPTURE(length);
      CHECK(out == NaiveApply(merges, word));
    }
  }
}

TEST_CASE("random merges on random words of all lengths agree with the definition") {
  CheckRandomWords(200, {0, 1, 2, 3, 17, 39, 40, 41, 42, 100, 333});
}

TEST_CASE("words of thousands of symbols agree with the definition") {
  CheckRandomWords(Rounds(24), {4095, 4096, 4500});
}

TEST_CASE("a pair set twice has its last merge") {
  MergeTable merges;
  merges.Set(1, 2, {5, 7});
  merges.Set(1, 2, {3, 8});
  CHECK(merges.Find(1, 2).result == 8);
  CHECK(merges.Find(2, 1).rank == Merge::kNone);
}

TEST_CASE("the table keeps what it knows while it grows") {
  MergeTable merges;
  for (TokenId id = 0; id < 5000; ++id) {
    merges.Set(id, id + 1, {static_cast<std::uint32_t>(id), 2 * id});
  }
  for (TokenId id = 0; id < 5000; ++id) REQUIRE(merges.Find(id, id + 1).result == 2 * id);
}

TEST_CASE("a raised StopFlag ends merging before a long word is read") {
  MergeTable merges;
  merges.Set(1, 2, {0, 3});
  std::vector<TokenId> out;
  StopFlag::Request();
  merges.Apply(std::vector<TokenId>(100000, 1), out);
  StopFlag::Clear();
  CHECK(out.empty());
}

}  // namespace
}  // namespace sglrun::tokenizer
