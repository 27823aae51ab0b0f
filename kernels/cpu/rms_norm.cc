#include "kernels/rms_norm.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Adds `add` to x where given, and returns the sum of squares: four vectors of partial sums, so
// that a lane adds up one element in 64 and rounding stays far below the bound.
float SumOfSquares(float* x, const float* add, std::int64_t size) {
  Vec sums[4] = {};
  int turn = 0;
  for (std::int64_t i = 0; i < size; i += kLanes) {
    Vec value = LoadPartial(x + i, size - i, 0.0f);
    if (add != nullptr) {
      value = value + LoadPartial(add + i, size - i, 0.0f);
      StorePartial(x + i, value, size - i);
    }
    sums[turn] = Fma(value, value, sums[turn]);
    turn = (turn + 1) % 4;
  }
  return SumLanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

void Normalise(const RmsNormArgs& args, float* x, const float* add, float* y, std::int64_t size) {
  const float mean = SumOfSquares(x, add, size) / static_cast<float>(size);
  const Vec scale = Set(1.0f / __builtin_sqrtf(mean + args.eps));
  const Vec offset = Set(args.weight_offset);
  const float* weight = static_cast<const float*>(args.weight.data);
  for (std::int64_t i = 0; i < size; i += kLanes) {
    const Vec w = LoadPartial(weight + i, size - i, 0.0f) + offset;
    StorePartial(y + i, LoadPartial(x + i, size - i, 0.0f) * scale * w, size - i);
  }
}

}  // namespace

void RmsNorm(const RmsNormArgs& args, KernelContext& context) {
  const std::int64_t size = args.weight.shape[0];
  ForRange(context.pool(), args.x.shape[0], args.groups * size,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t t = begin; t < end; ++t) {
               for (std::int64_t g = 0; g < args.groups; ++g) {
                 const float* add =
                     args.add.data == nullptr ? nullptr : Row(args.add, t) + g * size;
                 Normalise(args, Row(args.x, t) + g * size, add, Row(args.y, t) + g * size, size);
               }
             }
           });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
