// The limits of the sampler's kept set (kernels/sample.h), the same integers on every backend.
#pragma once

#include <cstdint>

namespace sglrun::kernels {

// A token is kept by top_p while the weights before it sum to at most this. Weights sum to less
// than 2^53, so the conversions are exact; the products round to nearest and must not be contracted
// into a fused multiply-add.
constexpr std::uint64_t TopPLimit(double top_p, std::uint64_t total) {
  const double whole = static_cast<double>(total);
  const double share = top_p * whole;
  const double slack = whole * 0x1p-20;
  return static_cast<std::uint64_t>(share + slack);
}

// A token is kept by min_p when it weighs at least this; weight 0 is never kept.
constexpr std::uint32_t MinPWeight(double min_p) {
  const auto weight = static_cast<std::uint32_t>(min_p * 2147483648.0);
  return weight > 0 ? weight : 1;
}

// floor(random * mass / 2^64), below mass.
constexpr std::uint64_t ScaleDraw(std::uint64_t random, std::uint64_t mass) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{random} * mass) >> 64);
}

constexpr bool IsSampleable(const std::uint32_t* bits, std::int64_t id) {
  return bits == nullptr || ((bits[id / 32] >> (id % 32)) & 1u) != 0;
}

}  // namespace sglrun::kernels
