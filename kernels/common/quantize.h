// Rounding of float32 to integers with a common scale: weights at load, activations before each
// product with quantised weights. Every backend must get the same integers, so the arithmetic is
// spelled out in steps of sixteen lanes, each rounded once (files that include this are compiled
// with -ffp-contract=off), and inlined into each instruction set.
//
// A group is 16, 32 or 64 elements, the missing ones of a last short group zeros.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace sglrun::kernels {

#define SGLRUN_QUANTIZE_INLINE inline __attribute__((always_inline))

inline constexpr int kQuantLanes = 16;
typedef float QuantFloats __attribute__((vector_size(4 * kQuantLanes)));
typedef std::int32_t QuantInts __attribute__((vector_size(4 * kQuantLanes)));

// The nearest integers, ties to even, of numbers below 2^22.
SGLRUN_QUANTIZE_INLINE void RoundLanes(const QuantFloats& values, QuantInts& rounded) {
  // 1.5 * 2^23: the sum's last bit is worth 1, and its bits are those of the constant plus the
  // integer.
  rounded = (QuantInts)(values + 12582912.0f) - 0x4B400000;
}

SGLRUN_QUANTIZE_INLINE void ClampLanes(QuantInts& values, std::int32_t low, std::int32_t high) {
  values = values < low ? QuantInts{} + low : values;
  values = values > high ? QuantInts{} + high : values;
}

// Bits of the largest magnitude; those of an infinity or NaN are 0x7F800000 and more.
template <int kVectors>
SGLRUN_QUANTIZE_INLINE std::int32_t LargestMagnitudeBits(const QuantFloats (&x)[kVectors]) {
  QuantInts most = (QuantInts)x[0] & 0x7FFFFFFF;
  for (int v = 1; v < kVectors; ++v) {
    const QuantInts other = (QuantInts)x[v] & 0x7FFFFFFF;
    most = most > other ? most : other;
  }
  typedef std::int32_t Four __attribute__((vector_size(16)));
  Four four[4];
  __builtin_memcpy(four, &most, sizeof four);
  four[0] = four[0] > four[2] ? four[0] : four[2];
  four[1] = four[1] > four[3] ? four[1] : four[3];
  four[0] = four[0] > four[1] ? four[0] : four[1];
  const std::int32_t a = four[0][0] > four[0][1] ? four[0][0] : four[0][1];
  const std::int32_t b = four[0][2] > four[0][3] ? four[0][2] : four[0][3];
  return a > b ? a : b;
}

inline constexpr std::int32_t kInfinityBits = 0x7F800000;

// Codes of -127 to 127; returns their scale. Groups below 2^-100 count as zeros, so that 127 over
// the largest is finite; NaN is the scale of a group that holds one or an infinity.
template <int kVectors>
SGLRUN_QUANTIZE_INLINE float RoundActivations(const QuantFloats (&x)[kVectors],
                                              QuantInts (&codes)[kVectors]) {
  const std::int32_t bits = LargestMagnitudeBits(x);
  const float largest = __builtin_bit_cast(float, bits);
  if (bits >= kInfinityBits || largest < 0x1p-100f) {
    for (int v = 0; v < kVectors; ++v) codes[v] = QuantInts{};
    return bits >= kInfinityBits ? __builtin_nanf("") : 0.0f;
  }
  const float inverse = 127.0f / largest;
  for (int v = 0; v < kVectors; ++v) RoundLanes(x[v] * inverse, codes[v]);
  return largest / 127.0f;
}

// The scale or minimum that is kept, in float16: codes are chosen for it, not for the one before
// rounding.
SGLRUN_QUANTIZE_INLINE float KeptScale(float scale) {
  constexpr float kLargest = 65504.0f;
  if (scale > kLargest) scale = kLargest;
  if (scale < -kLargest) scale = -kLargest;
  return tensor::F16ToFloat(tensor::FloatToF16(scale));
}

template <int kVectors>
SGLRUN_QUANTIZE_INLINE void CodesFor(const QuantFloats (&x)[kVectors], float scale,
                                     std::int32_t low, std::int32_t high,
                                     QuantInts (&codes)[kVectors]) {
  const float inverse = 1.0f / scale;
  for (int v = 0; v < kVectors; ++v) {
    // Far outside the codes the rounding trick fails: clamp first, to whole numbers.
    QuantFloats scaled = x[v] * inverse;
    scaled = scaled < -1024.0f ? QuantFloats{} - 1024.0f : scaled;
    scaled = scaled > 1024.0f ? QuantFloats{} + 1024.0f : scaled;
    RoundLanes(scaled, codes[v]);
    ClampLanes(codes[v], low, high);
  }
}

// Weights to codes of -127 to 127; returns the scale.
template <int kVectors>
SGLRUN_QUANTIZE_INLINE float QuantizeInt8(const QuantFloats (&x)[kVectors],
                                          QuantInts (&codes)[kVectors]) {
  const std::int32_t bits = LargestMagnitudeBits(x);
  const float scale = KeptScale(__builtin_bit_cast(float, bits) / 127.0f);
  if (bits >= kInfinityBits || scale == 0.0f) {
    for (int v = 0; v < kVectors; ++v) codes[v] = QuantInts{};
    return bits >= kInfinityBits ? __builtin_nanf("") : 0.0f;
  }
  CodesFor(x, scale, -127, 127, codes);
  return scale;
}

struct ScaleAndMinimum {
  float scale;
  float minimum;
};

// Weights to codes of 0 to 15 between the smallest and the largest of the group. Codes around zero,
// -8 to 7, would save half a bit a weight; they lose more of the outliers.
template <int kVectors>
SGLRUN_QUANTIZE_INLINE ScaleAndMinimum QuantizeInt4(const QuantFloats (&x)[kVectors],
                                                    QuantInts (&codes)[kVectors]) {
  for (int v = 0; v < kVectors; ++v) codes[v] = QuantInts{};
  if (LargestMagnitudeBits(x) >= kInfinityBits) return {__builtin_nanf(""), 0.0f};
  QuantFloats low = x[0], high = x[0];
  for (int v = 1; v < kVectors; ++v) {
    low = x[v] < low ? x[v] : low;
    high = x[v] > high ? x[v] : high;
  }
  float smallest = low[0], largest = high[0];
  for (int i = 1; i < kQuantLanes; ++i) {
    smallest = low[i] < smallest ? low[i] : smallest;
    largest = high[i] > largest ? high[i] : largest;
  }
  const float minimum = KeptScale(smallest);
  const float scale = KeptScale((largest - minimum) / 15.0f);
  if (!(scale > 0.0f)) return {0.0f, minimum};
  QuantFloats above[kVectors];
  for (int v = 0; v < kVectors; ++v) above[v] = x[v] - minimum;
  CodesFor(above, scale, 0, 15, codes);
  return {scale, minimum};
}

}  // namespace sglrun::kernels
