// 128-bit content hashes (XXH3) for resume keys and fingerprints, and the 64-bit mixing that
// derives one seed from another.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sglrun {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Hash128&) const = default;
  std::string ToHex() const;  // 32 lower-case hex digits
};

Hash128 HashBytes(std::string_view bytes, std::uint64_t seed = 0);

// SplitMix64's finaliser over a ^ rotated b: a fixed function, because a seed must give the same
// draws in every release.
std::uint64_t MixSeeds(std::uint64_t a, std::uint64_t b);

}  // namespace sglrun
