#include "grammar/matcher/row_cache.h"

#include <algorithm>
#include <bit>

#include "grammar/matcher/id_set.h"

namespace sglrun::grammar {

std::optional<Matcher::Mask> RowCache::Find(const Shape& shape, std::span<std::uint32_t> words) {
  const std::scoped_lock lock(mutex_);
  const auto at = by_shape_.find(shape);
  if (at == by_shape_.end()) return std::nullopt;
  rows_.splice(rows_.begin(), rows_, at->second);
  const Row& row = *at->second;
  if (!row.words.empty()) {
    std::copy(row.words.begin(), row.words.end(), words.begin());
  } else {
    std::fill(words.begin(), words.end(), 0);
    for (const std::int32_t id : row.ids) SetBit(words, id);
  }
  return row.kind;
}

void RowCache::Add(const Shape& shape, Matcher::Mask kind, std::span<const std::uint32_t> words) {
  Row row{.shape = shape, .kind = kind, .words = {}, .ids = {}};
  // Few ids are found faster than all words are copied, and take less room.
  const std::size_t few = words.size() / 4;
  std::size_t count = 0;
  for (std::size_t w = 0; w < words.size() && count <= few; ++w) {
    if (words[w] != 0) count += static_cast<std::size_t>(std::popcount(words[w]));
  }
  if (count > few) {
    row.words.assign(words.begin(), words.end());
  } else {
    row.ids.reserve(count);
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::uint32_t word = words[w]; word != 0; word &= word - 1) {
        row.ids.push_back(static_cast<std::int32_t>(w * 32) + std::countr_zero(word));
      }
    }
  }
  const std::scoped_lock lock(mutex_);
  if (by_shape_.contains(shape)) return;
  bytes_ += row.MemoryBytes();
  rows_.push_front(std::move(row));
  by_shape_.emplace(shape, rows_.begin());
  while (bytes_ > kMostBytes && rows_.size() > 1) {
    bytes_ -= rows_.back().MemoryBytes();
    by_shape_.erase(rows_.back().shape);
    rows_.pop_back();
  }
}

std::size_t RowCache::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace sglrun::grammar
