#include "grammar/matcher/row_cache.h"

#include <algorithm>
#include <bit>

namespace sglrun::grammar {
namespace {

// The ids in which two rows differ (`base` empty: the ids of `words`); nullopt: more than `most`.
std::optional<std::vector<std::int32_t>> Difference(std::span<const std::uint32_t> words,
                                                    std::span<const std::uint32_t> base,
                                                    std::size_t most) {
  std::vector<std::int32_t> ids;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint32_t word = base.empty() ? words[w] : words[w] ^ base[w]; word != 0;
         word &= word - 1) {
      ids.push_back(static_cast<std::int32_t>(w * 32) + std::countr_zero(word));
    }
    if (ids.size() > most) return std::nullopt;
  }
  ids.shrink_to_fit();
  return ids;
}

}  // namespace

std::optional<RowCache::Known> RowCache::Find(const Shape& shape, std::span<std::uint32_t> words) {
  const std::scoped_lock lock(mutex_);
  const auto at = by_shape_.find(shape);
  if (at == by_shape_.end()) return std::nullopt;
  rows_.splice(rows_.begin(), rows_, at->second);
  const Row& row = *at->second;
  if (row.base) {
    std::copy(row.base->begin(), row.base->end(), words.begin());
  } else {
    std::fill(words.begin(), words.end(), 0);
  }
  for (const std::int32_t id : row.flipped) {
    words[static_cast<std::size_t>(id) / 32] ^= std::uint32_t{1} << (id % 32);
  }
  return row.known;
}

void RowCache::Add(const Shape& shape, const Known& known, std::span<const std::uint32_t> words) {
  const std::scoped_lock lock(mutex_);
  if (by_shape_.contains(shape)) return;
  Row row{.shape = shape, .known = known};
  StoreBy(words, row);
  bytes_ += row.OwnBytes();
  rows_.push_front(std::move(row));
  by_shape_.emplace(shape, rows_.begin());
  Forget();
}

void RowCache::StoreBy(std::span<const std::uint32_t> words, Row& row) {
  // So few ids are flipped faster than all words are copied, and take less room.
  const std::size_t few = words.size() / 4;
  if (auto ids = Difference(words, {}, few)) {
    row.flipped = *std::move(ids);
    return;
  }
  std::erase_if(bases_, [](const auto& base) { return base.expired(); });
  for (auto at = bases_.begin(); at != bases_.end(); ++at) {
    std::shared_ptr<const Words> base = at->lock();
    auto ids = Difference(words, *base, few);
    if (!ids) continue;
    row.base = std::move(base);
    row.flipped = *std::move(ids);
    std::rotate(bases_.begin(), at, at + 1);
    return;
  }
  row.base = std::make_shared<const Words>(words.begin(), words.end());
  bytes_ += words.size() * sizeof(std::uint32_t);
  if (bases_.size() == kMostBases) bases_.pop_back();
  bases_.insert(bases_.begin(), row.base);
}

void RowCache::Bound(std::size_t most_bytes) {
  const std::scoped_lock lock(mutex_);
  most_bytes_ = most_bytes;
  Forget();
}

void RowCache::Forget() {
  while (bytes_ > most_bytes_ && rows_.size() > 1) {
    const Row& row = rows_.back();
    bytes_ -= row.OwnBytes();
    // The last row by it takes it along.
    if (row.base.use_count() == 1) bytes_ -= row.base->size() * sizeof(std::uint32_t);
    by_shape_.erase(row.shape);
    rows_.pop_back();
  }
}

std::size_t RowCache::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace sglrun::grammar
