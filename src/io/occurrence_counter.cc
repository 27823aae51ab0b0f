#include "io/occurrence_counter.h"

#include <limits>
#include <utility>

namespace sglrun::io {

std::uint32_t OccurrenceCounter::Add(std::uint64_t hash) {
  if ((used_ + 1) * 4 > hashes_.size() * 3) Grow();
  const std::size_t slot = Slot(hash);
  if (counts_[slot] == 0) {
    hashes_[slot] = hash;
    ++used_;
  }
  const std::uint32_t before = counts_[slot];
  if (before < std::numeric_limits<std::uint32_t>::max()) ++counts_[slot];
  return before;
}

std::size_t OccurrenceCounter::Slot(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t slot = hash & mask;
  while (counts_[slot] != 0 && hashes_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

void OccurrenceCounter::Grow() {
  const std::vector<std::uint64_t> old_hashes = std::move(hashes_);
  const std::vector<std::uint32_t> old_counts = std::move(counts_);
  const std::size_t size = old_hashes.empty() ? 1024 : old_hashes.size() * 2;
  hashes_.assign(size, 0);
  counts_.assign(size, 0);
  for (std::size_t i = 0; i < old_hashes.size(); ++i) {
    if (old_counts[i] == 0) continue;
    const std::size_t slot = Slot(old_hashes[i]);
    hashes_[slot] = old_hashes[i];
    counts_[slot] = old_counts[i];
  }
}

}  // namespace sglrun::io
