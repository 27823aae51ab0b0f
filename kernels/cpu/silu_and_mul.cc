#include "kernels/silu_and_mul.h"

#include "kernels/cpu/exp.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// With e = exp(-|a|), which cannot overflow: 1 / (1 + exp(-a)) is 1 / (1 + e) for a >= 0 and
// e / (1 + e) below.
SGLRUN_INLINE Vec Silu(Vec a) {
  const Vec magnitude = AsFloat(AsInt(a) & SetInt(0x7FFFFFFF));
  const Vec e = Exp(Set(0.0f) - magnitude);
  const Vec numerator = Select(a < Set(0.0f), e, Set(1.0f));
  return a * (numerator / (Set(1.0f) + e));
}

}  // namespace

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
