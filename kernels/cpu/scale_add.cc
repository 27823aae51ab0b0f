#include "kernels/scale_add.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

void ScaleAdd(const ScaleAddArgs& args, KernelContext& context) {
  const std::int64_t size = args.y.shape[1];
  const float* gain = args.gain.f32();
  const float* bias = args.bias.empty() ? nullptr : args.bias.f32();
  const Vec alpha = Set(args.alpha);
  ForRange(context.pool(), args.y.shape[0], size, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t m = first; m < last; ++m) {
      const float* x = Row(args.x, m);
      float* y = Row(args.y, m);
      ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
        Vec sum = LoadPartial(gain + i, count, 0.0f) * LoadPartial(x + i, count, 0.0f);
        if (bias != nullptr) sum = sum + LoadPartial(bias + i, count, 0.0f);
        sum = sum * alpha;
        if (args.accumulate) sum = sum + LoadPartial(y + i, count, 0.0f);
        StorePartial(y + i, sum, count);
      });
    }
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
