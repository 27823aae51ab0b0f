#include "kernels/silu_and_mul.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/silu.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
void SiluAndMul(const SiluAndMulArgs& args, KernelContext& context) {
  const std::int64_t size = args.y.shape[1];
  // An element costs some twenty times an addition.
  ForRange(context.pool(), args.y.shape[0], 4 * size, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      const float* gate = Row(args.x, t);
      const float* up = gate + size;
      float* y = Row(args.y, t);
      ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
        const Vec a = LoadPartial(gate + i, count, 0.0f), b = LoadPartial(up + i, count, 0.0f);
        StorePartial(y + i, Silu(a) * b, count);
      });
    }
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
