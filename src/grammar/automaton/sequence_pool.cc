#include "grammar/automaton/sequence_pool.h"

#include <algorithm>
#include <cstring>

namespace sglrun::grammar {
namespace {

// In two lanes: sequences are up to thousands of numbers long.
std::uint64_t Hash(std::span<const std::int32_t> sequence) {
  constexpr std::uint64_t kMix = 0xD6E8FEB86659FD93;
  std::uint64_t even = 0x9E3779B97F4A7C15 ^ sequence.size(), odd = kMix;
  std::size_t i = 0;
  for (; i + 4 <= sequence.size(); i += 4) {
    std::uint64_t pairs[2];
    std::memcpy(pairs, sequence.data() + i, sizeof pairs);
    even = (even ^ pairs[0]) * kMix;
    odd = (odd ^ pairs[1]) * kMix;
    even ^= even >> 32;
    odd ^= odd >> 32;
  }
  for (; i < sequence.size(); ++i) {
    even = (even ^ static_cast<std::uint32_t>(sequence[i])) * kMix;
    even ^= even >> 32;
  }
  const std::uint64_t hash = (even ^ (odd << 1 | odd >> 63)) * kMix;
  return hash ^ hash >> 32;
}

}  // namespace

std::int32_t SequencePool::Intern(std::span<const std::int32_t> sequence) {
  const std::uint64_t hash = Hash(sequence);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    const std::int32_t id = slots_[slot];
    if (hashes_[static_cast<std::size_t>(id)] != hash) continue;
    const auto known = (*this)[id];
    if (known.size() == sequence.size() &&
        std::equal(known.begin(), known.end(), sequence.begin())) {
      return id;
    }
  }
  const std::int32_t id = size();
  slots_[slot] = id;
  hashes_.push_back(hash);
  numbers_.insert(numbers_.end(), sequence.begin(), sequence.end());
  begin_.push_back(numbers_.size());
  if (2 * hashes_.size() > slots_.size()) Grow();
  return id;
}

void SequencePool::Clear() {
  constexpr std::size_t kMostKept = 1024;  // more would be dear to clear for few
  slots_.assign(std::min(slots_.size(), kMostKept), kFree);
  hashes_.clear();
  begin_.resize(1);
  numbers_.clear();
}

void SequencePool::Grow() {
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < hashes_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(id);
  }
}

}  // namespace sglrun::grammar
