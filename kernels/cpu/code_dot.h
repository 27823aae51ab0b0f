// The inner step (dot.h) over the pages of an int8 cache: codes are widened to float32 in registers
// and lose nothing, so that the products are those of a float32 cache. Four elements of the shared
// dimension per step, a cache line. The caller multiplies by the slot's scale.
#pragma once

#include <cstdint>

#include "kernels/cpu/vec.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// Through intrinsics, where GCC 12 takes a converted vector apart.
SGLRUN_INLINE NativeF WidenCodes(const std::int8_t* from) {
#if defined(__AVX512F__)
  const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return (NativeF)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes));
#elif defined(__AVX2__)
  const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return (NativeF)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes));
#elif defined(__SSE2__)
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  const __m128i bytes = _mm_cvtsi32_si128(four);
  const __m128i pairs = _mm_unpacklo_epi8(bytes, bytes);
  return (NativeF)_mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(pairs, pairs), 24));
#else
  typedef std::int8_t NativeCodes __attribute__((vector_size(kNativeLanes)));
  NativeCodes codes;
  __builtin_memcpy(&codes, from, sizeof codes);
  return __builtin_convertvector(__builtin_convertvector(codes, NativeI), NativeF);
#endif
}
SGLRUN_PARTWISE(Vec, LoadCodes(const std::int8_t* from), WidenCodes(from + i * kNativeLanes))

struct CodeDot {
  using Lane = std::uint32_t;  // a sixteenth of a step: four codes
  using X = float;
  static constexpr int kDepth = 4;
  static constexpr int kSubsteps = 4;
  static constexpr int kXPerStep = 4;

  using Weights = Vec;
  using Operand = Vec;
  static SGLRUN_INLINE Weights LoadWeights(const Lane* lanes, int substep) {
    return LoadCodes(reinterpret_cast<const std::int8_t*>(lanes) + substep * kLanes);
  }
  static SGLRUN_INLINE Operand Broadcast(const X* x) { return Set(*x); }
  static SGLRUN_INLINE Vec Step(Vec sum, Weights w, Operand x) { return Fma(w, x, sum); }
  static SGLRUN_INLINE Vec StoreX(X* x, Vec value) {
    Store(x, value);
    return value;
  }
};

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
