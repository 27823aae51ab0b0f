// Sixteen lanes of float32 or int32 on every instruction set: one 512-bit register, two of 256 bits
// or four of 128, written with the compiler's vector extensions so that each operation has one loop
// nest for all of them.
//
// This header and the files that include it are compiled once an instruction set, into the
// namespace SGLRUN_ISA. Nothing with external linkage may leave that namespace: a template of the
// standard library compiled here could be the copy that the linker keeps for everybody, and would
// then stop older machines. So these files use builtins and plain arrays, not containers.
#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifndef SGLRUN_ISA
#error "SGLRUN_ISA names the instruction set that this file is compiled for"
#endif

#define SGLRUN_INLINE inline __attribute__((always_inline))
#define SGLRUN_UNROLL _Pragma("GCC unroll 8")

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// fn(Index<0>{}), fn(Index<1>{}), ... : a loop whose counter is a constant in every turn, so that
// arrays of vectors indexed by it become registers.
template <int kValue>
struct Index {
  constexpr operator int() const { return kValue; }
};
template <int kCount, int kFirst = 0, class Fn>
SGLRUN_INLINE void Unrolled(const Fn& fn) {
  if constexpr (kFirst < kCount) {
    fn(Index<kFirst>{});
    Unrolled<kCount, kFirst + 1>(fn);
  }
}
// Marks a lambda that must not become a call.
#define SGLRUN_LAMBDA_INLINE __attribute__((always_inline))

#if defined(__AVX512F__)
inline constexpr int kNativeLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kNativeLanes = 8;
#else
inline constexpr int kNativeLanes = 4;
#endif

inline constexpr int kLanes = 16;
inline constexpr int kParts = kLanes / kNativeLanes;
inline constexpr float kInfinity = __builtin_inff();

typedef float NativeF __attribute__((vector_size(4 * kNativeLanes)));
typedef std::int32_t NativeI __attribute__((vector_size(4 * kNativeLanes)));
typedef std::uint32_t NativeU __attribute__((vector_size(4 * kNativeLanes)));

struct Vec {
  NativeF part[kParts];
};

// Also the type of masks: a lane is all ones or all zeros.
struct IVec {
  NativeI part[kParts];
};

// One line for each operation that treats the parts alike. Unrolled by hand: the compiler keeps
// in registers only what is split before its own passes.
#define SGLRUN_PART(number, expression) \
  if constexpr (kParts > number) {      \
    constexpr int i = number % kParts;  \
    result.part[i] = expression;        \
  }
#define SGLRUN_PARTWISE(Result, signature, expression) \
  SGLRUN_INLINE Result signature {                     \
    Result result;                                     \
    SGLRUN_PART(0, expression)                         \
    SGLRUN_PART(1, expression)                         \
    SGLRUN_PART(2, expression)                         \
    SGLRUN_PART(3, expression)                         \
    return result;                                     \
  }

SGLRUN_PARTWISE(Vec, Set(float value), value - NativeF{})
SGLRUN_PARTWISE(IVec, SetInt(std::int32_t value), value - NativeI{})
SGLRUN_PARTWISE(Vec, operator+(Vec a, Vec b), a.part[i] + b.part[i])
SGLRUN_PARTWISE(Vec, operator-(Vec a, Vec b), a.part[i] - b.part[i])
SGLRUN_PARTWISE(Vec, operator*(Vec a, Vec b), a.part[i] * b.part[i])
SGLRUN_PARTWISE(Vec, operator/(Vec a, Vec b), a.part[i] / b.part[i])
SGLRUN_PARTWISE(IVec, operator<(Vec a, Vec b), a.part[i] < b.part[i])
SGLRUN_PARTWISE(IVec, operator>=(Vec a, Vec b), a.part[i] >= b.part[i])
SGLRUN_PARTWISE(IVec, operator==(Vec a, Vec b), a.part[i] == b.part[i])
SGLRUN_PARTWISE(IVec, operator!=(Vec a, Vec b), a.part[i] != b.part[i])
SGLRUN_PARTWISE(IVec, operator!=(IVec a, IVec b), a.part[i] != b.part[i])
SGLRUN_PARTWISE(IVec, operator<(IVec a, IVec b), a.part[i] < b.part[i])
// Wraps, as the bit patterns of floats need.
SGLRUN_PARTWISE(IVec, operator+(IVec a, IVec b), (NativeI)((NativeU)a.part[i] + (NativeU)b.part[i]))
SGLRUN_PARTWISE(IVec, operator&(IVec a, IVec b), a.part[i] & b.part[i])
SGLRUN_PARTWISE(IVec, operator|(IVec a, IVec b), a.part[i] | b.part[i])
SGLRUN_PARTWISE(IVec, operator~(IVec a), ~a.part[i])
SGLRUN_PARTWISE(IVec, ShiftLeft(IVec a, int bits), a.part[i] << bits)
SGLRUN_PARTWISE(IVec, ShiftRight(IVec a, int bits), (NativeI)((NativeU)a.part[i] >> bits))
SGLRUN_PARTWISE(IVec, AsInt(Vec a), (NativeI)a.part[i])
SGLRUN_PARTWISE(Vec, AsFloat(IVec a), (NativeF)a.part[i])
SGLRUN_PARTWISE(IVec, Truncate(Vec a), __builtin_convertvector(a.part[i], NativeI))
SGLRUN_PARTWISE(Vec, Select(IVec mask, Vec a, Vec b), mask.part[i] ? a.part[i] : b.part[i])
SGLRUN_PARTWISE(IVec, Select(IVec mask, IVec a, IVec b), mask.part[i] ? a.part[i] : b.part[i])

// Max is a > b ? a : b, so b where either is NaN. Fma is a * b + c, rounded once where the
// instruction set has it, twice in the portable build; contraction by the compiler is off, so that
// a loop means the same in each of its instances.
#if defined(__AVX512F__)
SGLRUN_PARTWISE(Vec, Max(Vec a, Vec b),
                (NativeF)_mm512_max_ps((__m512)a.part[i], (__m512)b.part[i]))
SGLRUN_PARTWISE(Vec, Fma(Vec a, Vec b, Vec c),
                (NativeF)_mm512_fmadd_ps((__m512)a.part[i], (__m512)b.part[i], (__m512)c.part[i]))
#elif defined(__AVX2__)
SGLRUN_PARTWISE(Vec, Max(Vec a, Vec b),
                (NativeF)_mm256_max_ps((__m256)a.part[i], (__m256)b.part[i]))
SGLRUN_PARTWISE(Vec, Fma(Vec a, Vec b, Vec c),
                (NativeF)_mm256_fmadd_ps((__m256)a.part[i], (__m256)b.part[i], (__m256)c.part[i]))
#else
SGLRUN_PARTWISE(Vec, Max(Vec a, Vec b), a.part[i] > b.part[i] ? a.part[i] : b.part[i])
SGLRUN_PARTWISE(Vec, Fma(Vec a, Vec b, Vec c), a.part[i] * b.part[i] + c.part[i])
#endif

// Part by part through types that may lie anywhere: a copy of the whole struct would go by
// registers of another width and a place in memory, which a load of the parts waits for.
typedef float LooseF __attribute__((vector_size(4 * kNativeLanes), aligned(1), may_alias));
typedef std::int32_t LooseI __attribute__((vector_size(4 * kNativeLanes), aligned(1), may_alias));

SGLRUN_PARTWISE(Vec, Load(const float* from), reinterpret_cast<const LooseF*>(from)[i])
SGLRUN_PARTWISE(IVec, LoadInt(const void* from), static_cast<const LooseI*>(from)[i])
SGLRUN_INLINE void Store(float* to, Vec value) {
  Unrolled<kParts>([&](auto i)
                       SGLRUN_LAMBDA_INLINE { reinterpret_cast<LooseF*>(to)[i] = value.part[i]; });
}
SGLRUN_INLINE void StoreInt(void* to, IVec value) {
  Unrolled<kParts>([&](auto i)
                       SGLRUN_LAMBDA_INLINE { static_cast<LooseI*>(to)[i] = value.part[i]; });
}

// The first `count` lanes, the others `rest`; count may exceed the lanes.
SGLRUN_INLINE Vec LoadPartial(const float* from, std::int64_t count, float rest) {
  if (count >= kLanes) return Load(from);
  float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = i < count ? from[i] : rest;
  return Load(lanes);
}
SGLRUN_INLINE void StorePartial(float* to, Vec value, std::int64_t count) {
  if (count >= kLanes) return Store(to, value);
  float lanes[kLanes];
  Store(lanes, value);
  for (int i = 0; i < count; ++i) to[i] = lanes[i];
}

// fn(i, count) for the vectors of a row: count is the constant kLanes but in the last call, so that
// the loop proper is free of the partial forms.
template <class Fn>
SGLRUN_INLINE void ForEachVector(std::int64_t size, const Fn& fn) {
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) fn(i, Index<kLanes>{});
  if (i < size) fn(i, size - i);
}

// Combines the lanes by a fixed tree: the halves, their halves, and so on.
template <class Fn>
SGLRUN_INLINE float ReduceLanes(Vec value, const Fn& combine) {
  typedef float Four __attribute__((vector_size(16)));
  Four four[4];
  static_assert(sizeof four == sizeof value);
  __builtin_memcpy(four, &value, sizeof four);
  const Four sum = combine(combine(four[0], four[2]), combine(four[1], four[3]));
  const Four half = combine(sum, __builtin_shufflevector(sum, sum, 2, 3, 0, 1));
  return combine(half, __builtin_shufflevector(half, half, 1, 0, 3, 2))[0];
}
SGLRUN_INLINE float SumLanes(Vec value) {
  return ReduceLanes(value, [](auto a, auto b) SGLRUN_LAMBDA_INLINE { return a + b; });
}
SGLRUN_INLINE std::int32_t SumLanes(IVec value) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_epi32((__m512i)value.part[0]);
#else
  std::int32_t lanes[kLanes], sum = 0;
  StoreInt(lanes, value);
  for (const std::int32_t lane : lanes) sum += lane;
  return sum;
#endif
}
SGLRUN_INLINE float MaxLanes(Vec value) {
  return ReduceLanes(value, [](auto a, auto b) SGLRUN_LAMBDA_INLINE { return a > b ? a : b; });
}

// Bit i: lane i of the mask is set.
SGLRUN_INLINE unsigned MaskBits(IVec mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask((__m512i)mask.part[0]);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask.part[0])) |
         static_cast<unsigned>(_mm256_movemask_ps((__m256)mask.part[1])) << 8;
#else
  unsigned bits = 0;
  for (int i = 0; i < kLanes; ++i) {
    bits |= static_cast<unsigned>(mask.part[i / kNativeLanes][i % kNativeLanes] & 1) << i;
  }
  return bits;
#endif
}

SGLRUN_INLINE IVec LaneNumbers() {
  static constexpr std::int32_t kNumbers[kLanes] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
  return LoadInt(kNumbers);
}

// Lane i is set where bit i of `bits` is.
SGLRUN_INLINE IVec MaskFromBits(unsigned bits) {
#if defined(__AVX512F__)
  return IVec{{(NativeI)_mm512_movm_epi32(static_cast<__mmask16>(bits))}};
#else
  static constexpr std::int32_t kBits[kLanes] = {
      1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  return (SetInt(static_cast<std::int32_t>(bits)) & LoadInt(kBits)) != SetInt(0);
#endif
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
