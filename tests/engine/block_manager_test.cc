#include "engine/block_manager.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace sglrun::engine {
namespace {

using kernels::kPageSize;

std::vector<std::int32_t> Tokens(std::int64_t count, std::int32_t start) {
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(start + static_cast<std::int32_t>(i));
  return tokens;
}

// A user of pages: computes all its tokens and publishes the full pages.
std::vector<PageId> Compute(BlockManager& blocks, std::span<const std::int32_t> tokens) {
  std::vector<PageId> held;
  blocks.MatchPrefix(kNoPage, tokens, static_cast<std::int64_t>(tokens.size()) / kPageSize, held);
  for (auto i = static_cast<std::int64_t>(held.size());
       i < PagesFor(static_cast<std::int64_t>(tokens.size())); ++i) {
    PageId page = blocks.Allocate();
    REQUIRE(page != kNoPage);
    const auto first = static_cast<std::size_t>(i * kPageSize);
    if (first + kPageSize <= tokens.size()) {
      page = blocks.Publish(page, held.empty() ? kNoPage : held.back(),
                            tokens.subspan(first).first<kPageSize>());
    }
    held.push_back(page);
  }
  return held;
}

TEST_CASE("a prefix is found again after its user has left, page by page, by exact tokens") {
  BlockManager blocks(8);
  auto first = Compute(blocks, Tokens(40, 100));
  CHECK(blocks.in_use() == 3);
  blocks.ReleaseAll(first);
  CHECK(blocks.in_use() == 0);

  std::vector<PageId> held;
  blocks.MatchPrefix(kNoPage, Tokens(48, 100), 3, held);
  CHECK(held.size() == 2);  // the third page was never full
  blocks.ReleaseAll(held);
  auto other = Tokens(48, 100);
  other[20] = 7;
  blocks.MatchPrefix(kNoPage, other, 3, held);
  CHECK(held.size() == 1);
  blocks.ReleaseAll(held);
  blocks.MatchPrefix(kNoPage, Tokens(48, 100), 1, held);
  CHECK(held.size() == 1);
  blocks.CheckIntegrity(std::vector<std::vector<PageId>>{held});
}

TEST_CASE("equal tokens after different pages are different pages") {
  BlockManager blocks(8);
  auto tokens = Tokens(32, 0);
  const auto a = Compute(blocks, tokens);
  tokens[0] = 999;
  const auto b = Compute(blocks, tokens);
  CHECK(a[1] != b[1]);
  blocks.CheckIntegrity(std::vector<std::vector<PageId>>{a, b});
}

TEST_CASE("equal tokens of different adapters are different pages") {
  BlockManager blocks(8);
  const auto tokens = Tokens(16, 5);
  const BlockManager::PageTokens page = std::span(tokens).first<kPageSize>();
  std::vector<PageId> pages;
  for (const std::int32_t adapter : {-1, 0, 1}) {
    const PageId own = blocks.Allocate();
    CHECK(blocks.Publish(own, RootOf(adapter), page) == own);
    pages.push_back(own);
  }
  for (const std::int32_t adapter : {-1, 0, 1}) {
    std::vector<PageId> held;
    blocks.MatchPrefix(RootOf(adapter), tokens, 1, held);
    CHECK(held == std::vector<PageId>{pages[static_cast<std::size_t>(adapter + 1)]});
    blocks.ReleaseAll(held);
  }
  std::vector<PageId> held;
  blocks.MatchPrefix(RootOf(2), tokens, 1, held);
  CHECK(held.empty());
  blocks.CheckIntegrity(std::vector<std::vector<PageId>>{pages});
}

TEST_CASE("a page that was computed twice is kept once") {
  BlockManager blocks(4);
  const auto tokens = Tokens(16, 5);
  const PageId one = blocks.Allocate(), two = blocks.Allocate();
  const BlockManager::PageTokens page = std::span(tokens).first<kPageSize>();
  CHECK(blocks.Publish(one, kNoPage, page) == one);
  CHECK(blocks.Publish(two, kNoPage, page) == one);
  CHECK(blocks.in_use() == 1);
  blocks.CheckIntegrity(std::vector<std::vector<PageId>>{{one}, {one}});
}

TEST_CASE("idle pages are evicted least recently used first, tails before heads") {
  BlockManager blocks(4);
  auto old = Compute(blocks, Tokens(32, 100));
  auto young = Compute(blocks, Tokens(32, 500));
  blocks.ReleaseAll(old);
  blocks.ReleaseAll(young);
  std::vector<PageId> taken = {blocks.Allocate()};
  std::vector<PageId> held;
  blocks.MatchPrefix(kNoPage, Tokens(32, 100), 2, held);
  CHECK(held.size() == 1);  // only the tail of the old prefix is gone
  taken.push_back(blocks.Allocate());
  std::vector<PageId> other;
  blocks.MatchPrefix(kNoPage, Tokens(32, 500), 2, other);
  CHECK(other.size() == 1);
  CHECK(blocks.Allocate() == kNoPage);
  blocks.CheckIntegrity(std::vector<std::vector<PageId>>{taken, held, other});
}

TEST_CASE("the dump names users and the page before") {
  BlockManager blocks(4);
  const auto held = Compute(blocks, Tokens(33, 0));
  CHECK(blocks.ToString() ==
        "page 0: 1 user, first\npage 1: 1 user, after page 0\npage 2: 1 user\n");
}

TEST_CASE("counts, lists and table agree through random lives of many users") {
  std::mt19937 random(1);
  BlockManager blocks(24);
  std::vector<std::vector<PageId>> tables;
  for (int step = 0; step < 3000; ++step) {
    const auto length = static_cast<std::int64_t>(random() % 80 + 1);
    if (random() % 2 == 0 && blocks.available() >= PagesFor(length)) {
      auto tokens = Tokens(length, static_cast<std::int32_t>(random() % 3));
      if (length > 40) tokens[35] = static_cast<std::int32_t>(random() % 3);
      tables.push_back(Compute(blocks, tokens));
    } else if (!tables.empty()) {
      std::swap(tables[random() % tables.size()], tables.back());
      blocks.ReleaseAll(tables.back());
      tables.pop_back();
    }
    blocks.CheckIntegrity(tables);
  }
}

}  // namespace
}  // namespace sglrun::engine
