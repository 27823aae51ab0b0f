// One row of a norm, shared by the operation and the products that it stands in front of.
#pragma once

#include <cstdint>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vec.h"
#include "kernels/norm.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// The sum of term(value, sum so far) over a vector: four vectors of partial sums, so that a lane
// adds up one element in 64 and rounding stays far below the bound. Adds `add` to x first where it
// is given. Lanes past the end are 0; `count` is the number of valid lanes.
template <class Term>
SGLRUN_INLINE float SumOfTerms(float* x, const float* add, std::int64_t size, const Term& term) {
  Vec sums[4] = {};
  std::int64_t i = 0;
  const auto add_term = [&](auto turn, std::int64_t at, auto count) SGLRUN_LAMBDA_INLINE {
    Vec value = LoadPartial(x + at, count, 0.0f);
    if (add != nullptr) {
      value = value + LoadPartial(add + at, count, 0.0f);
      StorePartial(x + at, value, count);
    }
    sums[turn] = term(value, sums[turn], count);
  };
  for (; i + 4 * kLanes <= size; i += 4 * kLanes) {
    Unrolled<4>([&](auto turn)
                    SGLRUN_LAMBDA_INLINE { add_term(turn, i + turn * kLanes, Index<kLanes>{}); });
  }
  for (; i < size; i += kLanes) add_term(Index<0>{}, i, size - i);
  return SumLanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

inline float SumOfSquares(float* x, const float* add, std::int64_t size) {
  return SumOfTerms(x, add, size, [](Vec value, Vec sum, auto) SGLRUN_LAMBDA_INLINE {
    return Fma(value, value, sum);
  });
}

inline float SumOf(float* x, const float* add, std::int64_t size) {
  return SumOfTerms(x, add, size,
                    [](Vec value, Vec sum, auto) SGLRUN_LAMBDA_INLINE { return sum + value; });
}

// The sum of the squared distances from `mean`; lanes past the end add 0.
inline float SumOfSquaredDistances(float* x, float mean, std::int64_t size) {
  return SumOfTerms(x, nullptr, size, [&](Vec value, Vec sum, auto count) SGLRUN_LAMBDA_INLINE {
    Vec distance = value - Set(mean);
    if (count < kLanes) {
      const IVec exists = LaneNumbers() < SetInt(static_cast<std::int32_t>(count));
      distance = Select(exists, distance, Set(0.0f));
    }
    return Fma(distance, distance, sum);
  });
}

// Vectors of a row, from element `first` on.
inline void NormaliseRms(const NormArgs& args, std::int64_t t, std::int64_t first) {
  const std::int64_t size = args.weight.shape[0];
  const float* weight = static_cast<const float*>(args.weight.data);
  float* x = Row(args.x, t) + first;
  float* y = Row(args.y, t) + first;
  const float* add = args.add.data == nullptr ? nullptr : Row(args.add, t) + first;
  const float mean = SumOfSquares(x, add, size) / static_cast<float>(size);
  const Vec scale = Set(1.0f / __builtin_sqrtf(mean + args.eps));
  ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec w = LoadPartial(weight + i, count, 0.0f);
    StorePartial(y + i, LoadPartial(x + i, count, 0.0f) * scale * w, count);
  });
}

inline void NormaliseLayer(const NormArgs& args, std::int64_t t, std::int64_t first) {
  const std::int64_t size = args.weight.shape[0];
  const float* weight = static_cast<const float*>(args.weight.data);
  const float* bias = static_cast<const float*>(args.bias.data);
  float* x = Row(args.x, t) + first;
  float* y = Row(args.y, t) + first;
  const float* add = args.add.data == nullptr ? nullptr : Row(args.add, t) + first;
  const auto count_of_all = static_cast<float>(size);
  const float mean = SumOf(x, add, size) / count_of_all;
  const float variance = SumOfSquaredDistances(x, mean, size) / count_of_all;
  const Vec scale = Set(1.0f / __builtin_sqrtf(variance + args.eps)), centre = Set(mean);
  ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec w = LoadPartial(weight + i, count, 0.0f);
    Vec value = (LoadPartial(x + i, count, 0.0f) - centre) * scale * w;
    if (bias != nullptr) value = value + LoadPartial(bias + i, count, 0.0f);
    StorePartial(y + i, value, count);
  });
}

// Row t of a norm, group by group.
inline void NormaliseRow(const NormArgs& args, std::int64_t t) {
  for (std::int64_t g = 0; g < args.groups; ++g) {
    const std::int64_t first = g * args.weight.shape[0];
    if (args.kind == NormKind::kRms) {
      NormaliseRms(args, t, first);
    } else {
      NormaliseLayer(args, t, first);
    }
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
