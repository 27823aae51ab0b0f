// One row of an rms_norm, shared by the operation and the products that it stands in front of.
#pragma once

#include <cstdint>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vec.h"
#include "kernels/rms_norm.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// Adds `add` to x where given, and returns the sum of squares: four vectors of partial sums, so
// that a lane adds up one element in 64 and rounding stays far below the bound.
inline float SumOfSquares(float* x, const float* add, std::int64_t size) {
  Vec sums[4] = {};
  std::int64_t i = 0;
  const auto add_square = [&](auto turn, std::int64_t at, auto count) SGLRUN_LAMBDA_INLINE {
    Vec value = LoadPartial(x + at, count, 0.0f);
    if (add != nullptr) {
      value = value + LoadPartial(add + at, count, 0.0f);
      StorePartial(x + at, value, count);
    }
    sums[turn] = Fma(value, value, sums[turn]);
  };
  for (; i + 4 * kLanes <= size; i += 4 * kLanes) {
    Unrolled<4>([&](auto turn)
                    SGLRUN_LAMBDA_INLINE { add_square(turn, i + turn * kLanes, Index<kLanes>{}); });
  }
  for (; i < size; i += kLanes) add_square(Index<0>{}, i, size - i);
  return SumLanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// Row t of an rms_norm, group by group.
inline void NormaliseRow(const RmsNormArgs& args, std::int64_t t) {
  const std::int64_t size = args.weight.shape[0];
  const float* weight = static_cast<const float*>(args.weight.data);
  const Vec offset = Set(args.weight_offset);
  for (std::int64_t g = 0; g < args.groups; ++g) {
    float* x = Row(args.x, t) + g * size;
    const float* add = args.add.data == nullptr ? nullptr : Row(args.add, t) + g * size;
    float* y = Row(args.y, t) + g * size;
    const float mean = SumOfSquares(x, add, size) / static_cast<float>(size);
    const Vec scale = Set(1.0f / __builtin_sqrtf(mean + args.eps));
    ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
      const Vec w = LoadPartial(weight + i, count, 0.0f) + offset;
      StorePartial(y + i, LoadPartial(x + i, count, 0.0f) * scale * w, count);
    });
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
