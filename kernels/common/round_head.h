// The rule of an int8 cache: a head of a key or a value becomes codes of -127 to 127 and one scale,
// by RoundActivations (quantize.h). They depend on that head of that token alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/quantize.h"

namespace sglrun::kernels {

template <int kVectors>
SGLRUN_QUANTIZE_INLINE float RoundHeadOf(const float* x, std::int64_t size, std::int8_t* codes) {
  QuantFloats lanes[kVectors] = {};
  QuantInts rounded[kVectors];
  __builtin_memcpy(lanes, x, static_cast<std::size_t>(size) * sizeof(float));
  const float scale = RoundActivations(lanes, rounded);
  // A plain loop: GCC 12 optimises it better than converted vectors.
  std::int32_t wide[kVectors * kQuantLanes];
  __builtin_memcpy(wide, rounded, sizeof wide);
  for (int i = 0; i < kVectors * kQuantLanes; ++i) codes[i] = static_cast<std::int8_t>(wide[i]);
  return scale;
}

// Returns the scale: NaN where x holds a NaN or an infinity. Codes past `size` are 0 or untouched.
// `kMost`: kMaxHeadDim, which `size` does not exceed.
template <std::size_t kMost>
SGLRUN_QUANTIZE_INLINE float RoundHead(const float* x, std::int64_t size,
                                       std::int8_t (&codes)[kMost]) {
  if (size <= 64) return RoundHeadOf<4>(x, size, codes);
  if (size <= 128) return RoundHeadOf<8>(x, size, codes);
  return RoundHeadOf<kMost / kQuantLanes>(x, size, codes);
}

}  // namespace sglrun::kernels
