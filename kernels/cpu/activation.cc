#include "kernels/activation.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// y = function(x), times up where that is given.
template <class Function>
void ActivateRow(const Function& function, const float* x, const float* up, float* y,
                 std::int64_t size) {
  if (up == nullptr) {
    return ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
      StorePartial(y + i, function(LoadPartial(x + i, count, 0.0f)), count);
    });
  }
  ForEachVector(size, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec a = LoadPartial(x + i, count, 0.0f), b = LoadPartial(up + i, count, 0.0f);
    StorePartial(y + i, function(a) * b, count);
  });
}

}  // namespace

void Activate(const ActivationArgs& args, KernelContext& context) {
  const std::int64_t size = args.y.shape[1];
  WithActivation(args, [&](const auto& function) {
    // An element costs some twenty times an addition.
    ForRange(context.pool(), args.y.shape[0], 4 * size, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t t = first; t < last; ++t) {
        const float* x = Row(args.x, t);
        ActivateRow(function, x, args.gated ? x + size : nullptr, Row(args.y, t), size);
      }
    });
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
