// Weight of a token in the sampler: floor(2^31 * 2^x) for x <= 0, as a 32-bit integer.
//
// Every backend must get the same bits, so the arithmetic is spelled out: one float32 multiply or
// add at a time, each rounded to nearest (files that use it are compiled with -ffp-contract=off),
// and nothing whose result IEEE 754 leaves open. The vector form in kernels/cpu/sample.cc follows
// it line by line.
//
// 2^x = 2^n * 2^f with n = round(x), f = x - n exact and |f| <= 1/2. 2^f is a polynomial of degree
// 6, fitted at Chebyshev nodes with value 1 at f = 0: relative error 9e-8, so equal logits of the
// best token weigh exactly 2^31, and no weight is larger.
#pragma once

#include <bit>
#include <cstdint>

namespace sglrun::kernels {

inline constexpr float kLog2E = 0x1.715476p+0f;

// Adding and subtracting 1.5 * 2^23 rounds a float32 below 2^22 to the nearest integer.
inline constexpr float kRoundMagic = 12582912.0f;

inline constexpr float kExp2C1 = 0x1.62e43p-1f;
inline constexpr float kExp2C2 = 0x1.ebfbep-3f;
inline constexpr float kExp2C3 = 0x1.c6af6cp-5f;
inline constexpr float kExp2C4 = 0x1.3b2a1cp-7f;
inline constexpr float kExp2C5 = 0x1.5f0896p-10f;
inline constexpr float kExp2C6 = 0x1.444004p-13f;

inline constexpr float kLargestWeight = 2147483648.0f;  // 2^31
// Below this exponent the weight is 0.
inline constexpr float kLowestExponent = -31.0f;

// log2(e) / T; finite for every T > 0, so that a difference of 0 stays 0.
constexpr float ExponentScale(float temperature) {
  const float scale = kLog2E / temperature;
  constexpr float kLargest = 3.4028234663852886e38f;
  return scale < kLargest ? scale : kLargest;
}

// Exponent of logit z of a row whose largest logit is max. The test for equality keeps inf - inf
// out.
constexpr float Exponent(float z, float max, float scale) {
  return z == max ? 0.0f : (z - max) * scale;
}

constexpr std::uint32_t Exp2Exact(float x) {
  if (!(x >= kLowestExponent)) return 0;
  const float n = (x + kRoundMagic) - kRoundMagic;
  const float f = x - n;
  float p = kExp2C6 * f;
  p = p + kExp2C5;
  p = p * f;
  p = p + kExp2C4;
  p = p * f;
  p = p + kExp2C3;
  p = p * f;
  p = p + kExp2C2;
  p = p * f;
  p = p + kExp2C1;
  p = p * f;
  p = p + 1.0f;
  // 2^(n + 31), n + 31 in [0, 31].
  const std::int32_t exponent = static_cast<std::int32_t>(n) + 31 + 127;
  const float scaled = p * std::bit_cast<float>(exponent << 23);
  if (scaled >= kLargestWeight) return 0x80000000u;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(scaled));
}

}  // namespace sglrun::kernels
