// The inner step of every matrix product here: adds w * x to sixteen outputs at once, for one step
// of the shared dimension: two elements per step for bf16, one for float32. The sum runs over the
// steps in ascending order, whatever the shape of the tile, which is what makes a row's result
// independent of its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/vec.h"
#include "tensor/dtype.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// Nearest bf16 of each lane, ties to even, as float32.
SGLRUN_INLINE Vec RoundToBf16(Vec value) {
  const IVec bits = AsInt(value);
  const IVec odd = ShiftRight(bits, 16) & SetInt(1);
  const IVec rounded = (bits + SetInt(0x7FFF) + odd) & SetInt(static_cast<int>(0xFFFF0000u));
  return Select(value == value, AsFloat(rounded), AsFloat(bits | SetInt(0x00400000)));
}

struct F32Dot {
  using Lane = float;                  // one weight of one output
  using X = float;                     // one element of the other operand
  static constexpr int kDepth = 1;     // elements of the shared dimension a step
  static constexpr int kSubsteps = 1;  // multiply-adds a step
  static constexpr int kXPerStep = 1;

  using Weights = Vec;
  using Operand = Vec;
  static SGLRUN_INLINE Weights LoadWeights(const Lane* lanes, int) { return Load(lanes); }
  static SGLRUN_INLINE Operand Broadcast(const X* x) { return Set(*x); }
  static SGLRUN_INLINE Vec Step(Vec sum, Weights w, Operand x) { return Fma(w, x, sum); }
  static SGLRUN_INLINE Vec StoreX(X* x, Vec value) {
    Store(x, value);
    return value;
  }
};

#if defined(__AVX512BF16__)

struct Bf16Dot {
  using Lane = std::uint32_t;  // two bf16 of one output, the even element in the low half
  using X = std::uint32_t;
  static constexpr int kDepth = 2;
  static constexpr int kSubsteps = 1;
  static constexpr int kXPerStep = 1;

  using Weights = __m512bh;
  using Operand = __m512bh;
  static SGLRUN_INLINE Weights LoadWeights(const Lane* lanes, int) {
    return (__m512bh)_mm512_loadu_si512(lanes);
  }
  // The even element alone: the odd one may be memory that nobody wrote.
  static SGLRUN_INLINE Weights LoadEven(const Lane* lanes) {
    return (__m512bh)_mm512_and_si512(_mm512_loadu_si512(lanes), _mm512_set1_epi32(0xFFFF));
  }
  static SGLRUN_INLINE Operand Broadcast(const X* x) {
    return (__m512bh)_mm512_set1_epi32(static_cast<int>(*x));
  }
  static SGLRUN_INLINE Vec Step(Vec sum, Weights w, Operand x) {
    return Vec{{(NativeF)_mm512_dpbf16_ps((__m512)sum.part[0], w, x)}};
  }
  // Sixteen elements, rounded, as eight operands; returns what was stored.
  static SGLRUN_INLINE Vec StoreX(X* x, Vec value) {
    typedef std::uint16_t Halves __attribute__((vector_size(32)));
    const auto rounded = (Halves)_mm512_cvtneps_pbh((__m512)value.part[0]);
    __builtin_memcpy(x, &rounded, sizeof rounded);
    return AsFloat(ShiftLeft(IVec{{__builtin_convertvector(rounded, NativeI)}}, 16));
  }
};

#else

// Without bf16 products: weights are widened to float32 in registers, the other operand once
// before.
struct Bf16Dot {
  using Lane = std::uint32_t;
  using X = float;
  static constexpr int kDepth = 2;
  static constexpr int kSubsteps = 2;
  static constexpr int kXPerStep = 2;

  using Weights = Vec;
  using Operand = Vec;
  static SGLRUN_INLINE Weights LoadWeights(const Lane* lanes, int substep) {
    const IVec pairs = LoadInt(lanes);
    return AsFloat(substep == 0 ? ShiftLeft(pairs, 16)
                                : pairs & SetInt(static_cast<int>(0xFFFF0000u)));
  }
  static SGLRUN_INLINE Weights LoadEven(const Lane* lanes) { return LoadWeights(lanes, 0); }
  static SGLRUN_INLINE Operand Broadcast(const X* x) { return Set(*x); }
  static SGLRUN_INLINE Vec Step(Vec sum, Weights w, Operand x) { return Fma(w, x, sum); }
  static SGLRUN_INLINE Vec StoreX(X* x, Vec value) {
    const Vec rounded = RoundToBf16(value);
    Store(x, rounded);
    return rounded;
  }
};

#endif

// Largest tile that stays in registers: rows of x times units of sixteen outputs.
inline constexpr int kTileRows = kNativeLanes >= 8 ? 6 : 2;
constexpr int TileUnits(int rows) {
  if (kNativeLanes == 16) return rows <= kTileRows ? 4 : 2;
  if (kNativeLanes == 8) return rows == 1 ? 4 : rows == 2 ? 2 : 1;
  return rows == 1 ? 2 : 1;
}

// sums[m][u] += sum over the steps of weights(step, u) * x[m][step]. `weights` returns the address
// of sixteen lanes and may prefetch.
template <class Dot, int kRows, int kUnits, class WeightsAt>
SGLRUN_INLINE void AddProducts(Vec (&sums)[kRows][kUnits], const WeightsAt& weights,
                               const typename Dot::X* x, std::ptrdiff_t x_stride,
                               std::int64_t steps) {
  for (std::int64_t step = 0; step < steps; ++step) {
    weights.Prefetch(step);
    Unrolled<Dot::kSubsteps>([&](auto substep) SGLRUN_LAMBDA_INLINE {
      typename Dot::Weights w[kUnits];
      Unrolled<kUnits>(
          [&](auto u) SGLRUN_LAMBDA_INLINE { w[u] = Dot::LoadWeights(weights(step, u), substep); });
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        const auto operand = Dot::Broadcast(x + m * x_stride + step * Dot::kXPerStep + substep);
        Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
          sums[m][u] = Dot::Step(sums[m][u], w[u], operand);
        });
      });
    });
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
