#include "kernels/scale_add.h"

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

void ScaleAdd(const ScaleAddArgs& args, KernelContext&) {
  for (std::int64_t m = 0; m < args.y.shape[0]; ++m) {
    for (std::int64_t n = 0; n < args.y.shape[1]; ++n) {
      float sum = args.gain.f32()[n] * args.x.row(m)[n];
      if (!args.bias.empty()) sum += args.bias.f32()[n];
      sum *= args.alpha;
      float& y = args.y.row(m)[n];
      y = args.accumulate ? sum + y : sum;
    }
  }
}

}  // namespace sglrun::kernels::ref
