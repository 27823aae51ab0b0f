// The merges of a BPE model, and their application to a word (Sennrich et al. 2016).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

struct Merge {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t rank = kNone;  // lower ranks merge first; kNone: the pair does not merge
  TokenId result = -1;
};

// (left, right) -> merge, in one flat open-addressing table.
class MergeTable {
 public:
  explicit MergeTable(std::size_t merges = 0);

  void Set(TokenId left, TokenId right, Merge merge);  // a pair set before is replaced
  Merge Find(TokenId left, TokenId right) const;

  // Whether a part of some merge satisfies `predicate`.
  template <class Predicate>
  bool Uses(Predicate predicate) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.pair != kFree && (predicate(static_cast<TokenId>(slot.pair >> 32)) ||
                                    predicate(static_cast<TokenId>(slot.pair)));
    });
  }

  // Merges the neighbours of the lowest rank, the leftmost first, until none are left, and appends
  // what remains. O(n log n) in the number of symbols.
  void Apply(std::span<const TokenId> symbols, std::vector<TokenId>& out) const;

 private:
  struct Slot {
    std::uint64_t pair = kFree;
    Merge merge;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  std::uint64_t Hash(std::uint64_t pair) const;
  std::size_t Home(std::uint64_t hash) const { return hash >> shift_; }
  std::size_t BitOf(std::uint64_t hash) const { return hash >> (shift_ - 4); }
  void Grow();
  void ApplyShort(std::span<const TokenId> symbols, std::vector<TokenId>& out) const;
  template <class Queue>
  void ApplyLong(std::span<const TokenId> symbols, Queue queue, std::vector<TokenId>& out) const;

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> known_;  // 16 bits per slot, set where a pair's hash points: most
                                      // pairs do not merge, and of those the table is rarely asked
  std::size_t size_ = 0;
  std::size_t ranks_ = 0;  // the largest rank and 1
  int shift_ = 0;
};

}  // namespace sglrun::tokenizer
