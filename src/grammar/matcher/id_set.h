// A set of text tokens, kept as the smallest of: its ids, the ids it lacks, its bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/ir/vocabulary.h"

namespace sglrun::grammar {

inline void SetBit(std::span<std::uint32_t> words, std::int32_t id) {
  words[static_cast<std::size_t>(id) / 32] |= std::uint32_t{1} << (id % 32);
}
inline void ClearBit(std::span<std::uint32_t> words, std::int32_t id) {
  words[static_cast<std::size_t>(id) / 32] &= ~(std::uint32_t{1} << (id % 32));
}
inline bool GetBit(std::span<const std::uint32_t> words, std::int32_t id) {
  return (words[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0;
}
// words |= bits without the ids of `missing`.
void OrAllBut(std::span<std::uint32_t> words, std::span<const std::uint32_t> bits,
              std::span<const std::int32_t> missing);

class IdSet {
 public:
  IdSet() = default;
  // `ids` distinct.
  IdSet(std::vector<std::int32_t> ids, const Vocabulary& vocabulary);
  // Of the ids in the order of the trie those in the ranges, which are in order and apart.
  struct Range {
    std::int32_t begin, end;
  };
  static IdSet OfRanges(std::span<const Range> ranges, const Vocabulary& vocabulary);

  void OrInto(std::span<std::uint32_t> words, const Vocabulary& vocabulary) const;
  std::size_t MemoryBytes() const {
    return ids_.capacity() * sizeof(std::int32_t) + bits_.capacity() * sizeof(std::uint32_t);
  }

 private:
  enum class Form : std::uint8_t { kListed, kMissing, kBits };
  static Form SmallestForm(std::size_t ids, const Vocabulary& vocabulary);

  Form form_ = Form::kListed;
  std::vector<std::int32_t> ids_;
  std::vector<std::uint32_t> bits_;
};

}  // namespace sglrun::grammar
