// The inner step of a product with quantised weights: adds to sixteen outputs at once four products
// of a code (0 to 255) with an integer of x (-127 to 127), in exact int32 arithmetic, so that every
// instruction set gets the same sums.
#pragma once

#include <cstdint>

#include "kernels/cpu/vec.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

SGLRUN_PARTWISE(Vec, ToFloat(IVec value), __builtin_convertvector(value.part[i], NativeF))

#if defined(__AVX512VNNI__)

inline constexpr int kQuantWords = 1;  // words of x a step: four int8

// Sixteen elements, four steps, as words of x.
SGLRUN_INLINE void StoreQuantSteps(std::int32_t* words, IVec codes) {
  const __m128i bytes = _mm512_cvtepi32_epi8((__m512i)codes.part[0]);
  __builtin_memcpy(words, &bytes, sizeof bytes);
}

SGLRUN_INLINE IVec QuantStep(IVec sum, IVec weights, const IVec (&x)[kQuantWords]) {
  return IVec{{(NativeI)_mm512_dpbusd_epi32((__m512i)sum.part[0], (__m512i)weights.part[0],
                                            (__m512i)x[0].part[0])}};
}

#else

inline constexpr int kQuantWords = 2;  // pairs of int16: elements 0 and 2, 1 and 3

SGLRUN_INLINE void StoreQuantSteps(std::int32_t* words, IVec codes) {
  std::uint32_t code[kLanes];
  StoreInt(code, codes);
  for (int i = 0; i < kLanes; i += 4, words += kQuantWords) {
    words[0] = static_cast<std::int32_t>((code[i] & 0xFFFFu) | code[i + 2] << 16);
    words[1] = static_cast<std::int32_t>((code[i + 1] & 0xFFFFu) | code[i + 3] << 16);
  }
}

// Lane by lane the sum of two products of int16.
SGLRUN_INLINE NativeI PairProducts(NativeI a, NativeI b) {
#if defined(__AVX512F__)
  return (NativeI)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (NativeI)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (NativeI)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  return ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

SGLRUN_PARTWISE(IVec, PairProducts(IVec a, IVec b), PairProducts(a.part[i], b.part[i]))

SGLRUN_INLINE IVec QuantStep(IVec sum, IVec weights, const IVec (&x)[kQuantWords]) {
  const IVec low = SetInt(0x00FF00FF);
  const IVec even = weights & low, odd = ShiftRight(weights, 8) & low;
  return sum + (PairProducts(even, x[0]) + PairProducts(odd, x[1]));
}

#endif

// Sixteen float16 as float32.
SGLRUN_INLINE Vec LoadHalves(const void* from) {
#if defined(__AVX512F__)
  __m256i halves;
  __builtin_memcpy(&halves, from, sizeof halves);
  return Vec{{(NativeF)_mm512_cvtph_ps(halves)}};
#else
  // Both arms are computed and one is kept: subnormals are mantissa * 2^-24, normals move the
  // exponent by 112, infinities and NaN by another 112.
  typedef std::uint16_t Halves __attribute__((vector_size(2 * kNativeLanes)));
  Vec result;
  for (int i = 0; i < kParts; ++i) {
    Halves halves;
    __builtin_memcpy(&halves, static_cast<const char*>(from) + i * static_cast<int>(sizeof halves),
                     sizeof halves);
    const NativeI bits = __builtin_convertvector(halves, NativeI);
    const NativeI magnitude = bits & 0x7FFF;
    const NativeI small = (NativeI)(__builtin_convertvector(magnitude, NativeF) * 0x1p-24f);
    const NativeI normal = (magnitude << 13) + (112 << 23);
    const NativeI large = magnitude >= 0x7C00 ? normal + (112 << 23) : normal;
    result.part[i] = (NativeF)((magnitude < 0x0400 ? small : large) | ((bits & 0x8000) << 16));
  }
  return result;
#endif
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
