#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "base/stop_flag.h"

namespace sglrun::tokenizer {
namespace {

// Up to this many symbols searching all pairs for the lowest rank beats a heap.
constexpr std::size_t kShortWord = 40;
// From here on a list for each rank beats a heap.
constexpr std::size_t kManySymbols = 4096;
// More than any vocabulary has; bounds the lists.
constexpr std::size_t kMaxRanks = std::size_t{1} << 22;

std::uint64_t Pair(TokenId left, TokenId right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

}  // namespace

MergeTable::MergeTable(std::size_t merges) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, merges + merges / 3 + 1));
  slots_.resize(slots);
  known_.resize(slots / 4);
  shift_ = 64 - std::countr_zero(slots);
}

// Fibonacci hashing: the upper bits of the product depend on both ids.
std::uint64_t MergeTable::Hash(std::uint64_t pair) const {
  pair ^= pair >> 29;
  return pair * 0x9E3779B97F4A7C15ull;
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
  if (4 * size_ >= 3 * slots_.size()) Grow();
  const std::uint64_t pair = Pair(left, right);
  const std::uint64_t hash = Hash(pair);
  known_[BitOf(hash) / 64] |= std::uint64_t{1} << BitOf(hash) % 64;
  std::size_t at = Home(hash);
  while (slots_[at].pair != kFree && slots_[at].pair != pair) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at].pair == kFree) ++size_;
  slots_[at] = {pair, merge};
  ranks_ = std::max(ranks_, std::size_t{merge.rank} + 1);
}

Merge MergeTable::Find(TokenId left, TokenId right) const {
  const std::uint64_t pair = Pair(left, right);
  const std::uint64_t hash = Hash(pair);
  if ((known_[BitOf(hash) / 64] >> BitOf(hash) % 64 & 1) == 0) return {};
  for (std::size_t at = Home(hash);; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].pair == pair) return slots_[at].merge;
    if (slots_[at].pair == kFree) return {};
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

// Pairs that wait for their merge, as entries; some are stale by the time they come out.
class HeapQueue {
 public:
  void Push(std::uint64_t entry) { heap_.push(entry); }
  std::optional<std::uint64_t> Pop() {
    if (heap_.empty()) return std::nullopt;
    const std::uint64_t entry = heap_.top();
    heap_.pop();
    return entry;
  }
  int Ahead() const { return -1; }

 private:
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heap_;
};

// The same for words of thousands of symbols, where a heap misses the cache at every level: a list
// of positions for each rank, sorted when its turn comes. A merge makes pairs of higher rank in all
// files that training wrote; others wait in a heap beside it.
class RankQueue {
 public:
  explicit RankQueue(std::size_t ranks) : last_(ranks, -1) {}

  void Push(std::uint64_t entry) {
    const auto rank = static_cast<std::uint32_t>(entry >> 32);
    if (rank < next_rank_) return early_.Push(entry);
    int& last = last_[rank];
    if (last < 0 || blocks_[static_cast<std::size_t>(last)].count == Block::kPositions) {
      blocks_.push_back({last});
      last = static_cast<int>(blocks_.size()) - 1;
    }
    Block& block = blocks_[static_cast<std::size_t>(last)];
    block.positions[block.count++] = static_cast<int>(entry & 0xFFFFFFFF);
  }

  std::optional<std::uint64_t> Pop() {
    if (!waiting_) waiting_ = early_.Pop();
    while (at_ == level_.size() && !waiting_) {
      if (next_rank_ == last_.size()) return std::nullopt;
      Collect(last_[next_rank_++]);
    }
    if (at_ == level_.size()) return std::exchange(waiting_, std::nullopt);
    const std::uint64_t entry = Entry(static_cast<std::uint32_t>(next_rank_ - 1), level_[at_]);
    if (waiting_ && *waiting_ < entry) return std::exchange(waiting_, std::nullopt);
    ++at_;
    return entry;
  }

  // A position that will come soon, or -1.
  int Ahead() const { return at_ + kAhead < level_.size() ? level_[at_ + kAhead] : -1; }

 private:
  static constexpr std::size_t kAhead = 12;
  // Some positions of one rank: a cache line, so that reading a list does not wait for each.
  struct Block {
    static constexpr int kPositions = 14;
    int before;  // the block of the same rank that was filled before, -1 for none
    int count = 0;
    int positions[kPositions] = {};
  };

  void Collect(int last) {
    at_ = 0;
    level_.clear();
    for (; last >= 0; last = blocks_[static_cast<std::size_t>(last)].before) {
      const Block& block = blocks_[static_cast<std::size_t>(last)];
      level_.insert(level_.end(), block.positions, block.positions + block.count);
    }
    std::sort(level_.begin(), level_.end());
  }

  std::vector<int> last_;  // by rank: the block that is being filled, -1 for none
  std::vector<Block> blocks_;
  std::size_t next_rank_ = 0;  // ranks below are done, except for those in level_ and early_
  std::vector<int> level_;     // positions of rank next_rank_ - 1, ascending
  std::size_t at_ = 0;
  HeapQueue early_;
  std::optional<std::uint64_t> waiting_;  // taken out of early_, not yet handed out
};

}  // namespace

template <class Queue>
void MergeTable::ApplyLong(std::span<const TokenId> symbols, Queue queue,
                           std::vector<TokenId>& out) const {
  const int count = static_cast<int>(symbols.size());
  std::vector<Node> nodes(symbols.size());
  for (int i = 0; i < count && !StopFlag::requested(); ++i) {
    const bool last = i + 1 == count;
    nodes[i] = {symbols[i], i - 1, last ? -1 : i + 1,
                last ? Merge() : Find(symbols[i], symbols[i + 1])};
    if (nodes[i].merge.rank != Merge::kNone) queue.Push(Entry(nodes[i].merge.rank, i));
  }
  const auto renew = [&](int left) {
    Node& node = nodes[left];
    node.merge = node.next < 0 ? Merge() : Find(node.id, nodes[node.next].id);
    if (node.merge.rank != Merge::kNone) queue.Push(Entry(node.merge.rank, left));
  };
  while (const std::optional<std::uint64_t> entry = queue.Pop()) {
    if (StopFlag::requested()) return;
    const int at = static_cast<int>(*entry & 0xFFFFFFFF);
    const auto rank = static_cast<std::uint32_t>(*entry >> 32);
    if (const int ahead = queue.Ahead(); ahead >= 0) __builtin_prefetch(&nodes[ahead]);
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
  if (StopFlag::requested()) return;  // the list of nodes may have no end yet
  for (int i = 0; i >= 0; i = nodes[i].next) out.push_back(nodes[i].id);
}

void MergeTable::Apply(std::span<const TokenId> symbols, std::vector<TokenId>& out) const {
  if (symbols.size() < 2) {
    out.insert(out.end(), symbols.begin(), symbols.end());
  } else if (symbols.size() <= kShortWord) {
    ApplyShort(symbols, out);
  } else if (symbols.size() < kManySymbols || ranks_ > kMaxRanks) {
    ApplyLong(symbols, HeapQueue(), out);
  } else {
    ApplyLong(symbols, RankQueue(ranks_), out);
  }
}

}  // namespace sglrun::tokenizer
