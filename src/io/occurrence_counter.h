// How often each 64-bit hash was seen: 12 bytes per slot, at most about 24 per distinct hash, so
// that a file of five million lines costs some hundred megabytes and no more.
#pragma once

#include <cstdint>
#include <vector>

namespace sglrun::io {

class OccurrenceCounter {
 public:
  // Counts one occurrence and returns the number of earlier ones.
  std::uint32_t Add(std::uint64_t hash);

 private:
  std::size_t Slot(std::uint64_t hash) const;
  void Grow();

  // Open addressing with linear probing; a count of 0 marks a free slot.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> counts_;
  std::size_t used_ = 0;
};

}  // namespace sglrun::io
