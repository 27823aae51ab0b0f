// Random bits of one draw: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as
// 1, 2, 3") keyed by the row's seed, with (position of the token, sample index) as the counter. No
// state: the same draw has the same bits in any batch, on any backend, after any interruption.
#pragma once

#include <cstdint>

namespace sglrun::kernels {

// seed: the record's sampling_seed, or the seed derived from its content; sample: index among n;
// position: absolute position of the token that is drawn (prompt tokens + tokens generated so far).
constexpr std::uint64_t RandomBits(std::uint64_t seed, std::uint32_t sample,
                                   std::uint32_t position) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed);
  std::uint32_t key1 = static_cast<std::uint32_t>(seed >> 32);
  std::uint32_t c0 = position, c1 = sample, c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ key0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ key1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return (std::uint64_t{c1} << 32) | c0;
}

}  // namespace sglrun::kernels
