#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>

namespace sglrun::tokenizer {
namespace {

// Up to this many symbols searching all pairs for the lowest rank beats a heap.
constexpr std::size_t kShortWord = 40;

std::uint64_t Pair(TokenId left, TokenId right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

}  // namespace

MergeTable::MergeTable(std::size_t merges) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, 2 * merges));
  slots_.resize(slots);
  shift_ = 64 - std::countr_zero(slots);
}

// Fibonacci hashing: the upper bits of the product depend on both ids.
std::size_t MergeTable::Home(std::uint64_t pair) const {
  pair ^= pair >> 29;
  return (pair * 0x9E3779B97F4A7C15ull) >> shift_;
}

void MergeTable::Grow() {
  MergeTable bigger(slots_.size());
  for (const Slot& slot : slots_) {
    if (slot.pair == kFree) continue;
    bigger.Set(static_cast<TokenId>(slot.pair >> 32), static_cast<TokenId>(slot.pair), slot.merge);
  }
  *this = std::move(bigger);
}

void MergeTable::Set(TokenId left, TokenId right, Merge merge) {
  if (2 * size_ >= slots_.size()) Grow();
  const std::uint64_t pair = Pair(left, right);
  std::size_t at = Home(pair);
  while (slots_[at].pair != kFree && slots_[at].pair != pair) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at].pair == kFree) ++size_;
  slots_[at] = {pair, merge};
}

Merge MergeTable::Find(TokenId left, TokenId right) const {
  const std::uint64_t pair = Pair(left, right);
  for (std::size_t at = Home(pair);; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].pair == pair) return slots_[at].merge;
    if (slots_[at].pair == kFree) return {};
  }
}

void MergeTable::Apply(std::span<const TokenId> symbols, std::vector<TokenId>& out) const {
  if (symbols.size() < 2) {
    out.insert(out.end(), symbols.begin(), symbols.end());
  } else if (symbols.size() <= kShortWord) {
    ApplyShort(symbols, out);
  } else {
    ApplyLong(symbols, out);
  }
}

void MergeTable::ApplyShort(std::span<const TokenId> symbols, std::vector<TokenId>& out) const {
  TokenId ids[kShortWord];
  Merge merges[kShortWord];  // merges[i]: of ids[i] and ids[i + 1]
  std::size_t count = symbols.size();
  std::copy(symbols.begin(), symbols.end(), ids);
  for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = Find(ids[i], ids[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == Merge::kNone) break;
    ids[best] = merges[best].result;
    std::copy(ids + best + 2, ids + count, ids + best + 1);
    // merges[count - 2] is the last pair; the one at best + 1 is gone with its left symbol.
    if (best + 2 < count) std::copy(merges + best + 2, merges + count - 1, merges + best + 1);
    --count;
    if (best > 0) merges[best - 1] = Find(ids[best - 1], ids[best]);
    if (best + 1 < count) merges[best] = Find(ids[best], ids[best + 1]);
  }
  out.insert(out.end(), ids, ids + count);
}

namespace {

// A symbol of a long word; dead ones were swallowed by their left neighbour.
struct Node {
  TokenId id;
  int previous;
  int next;
  Merge merge;  // with the next symbol
};

// Rank above, position below: the smallest is the lowest rank, leftmost.
std::uint64_t Entry(std::uint32_t rank, int position) {
  return (static_cast<std::uint64_t>(rank) << 32) | static_cast<std::uint32_t>(position);
}

}  // namespace

void MergeTable::ApplyLong(std::span<const TokenId> symbols, std::vector<TokenId>& out) const {
  const int count = static_cast<int>(symbols.size());
  std::vector<Node> nodes(symbols.size());
  std::vector<std::uint64_t> entries;
  entries.reserve(symbols.size());
  for (int i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    nodes[i] = {symbols[i], i - 1, last ? -1 : i + 1,
                last ? Merge() : Find(symbols[i], symbols[i + 1])};
    if (nodes[i].merge.rank != Merge::kNone) entries.push_back(Entry(nodes[i].merge.rank, i));
  }
  std::priority_queue heap(std::greater<std::uint64_t>(), std::move(entries));
  const auto renew = [&](int left) {
    Node& node = nodes[left];
    node.merge = node.next < 0 ? Merge() : Find(node.id, nodes[node.next].id);
    if (node.merge.rank != Merge::kNone) heap.push(Entry(node.merge.rank, left));
  };
  while (!heap.empty()) {
    const int at = static_cast<int>(heap.top() & 0xFFFFFFFF);
    const auto rank = static_cast<std::uint32_t>(heap.top() >> 32);
    heap.pop();
    Node& node = nodes[at];
    if (node.merge.rank != rank) continue;  // stale: the pair is another one by now
    Node& right = nodes[node.next];
    node.id = node.merge.result;
    node.next = right.next;
    right.merge = Merge();
    if (right.next >= 0) nodes[right.next].previous = at;
    renew(at);
    if (node.previous >= 0) renew(node.previous);
  }
  for (int i = 0; i >= 0; i = nodes[i].next) out.push_back(nodes[i].id);
}

}  // namespace sglrun::tokenizer
