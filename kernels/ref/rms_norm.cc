#include "kernels/rms_norm.h"

#include <cmath>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

void RmsNorm(const RmsNormArgs& args, KernelContext&) {
  const std::int64_t size = args.weight.shape[0];
  const float* weight = args.weight.f32();
  for (std::int64_t t = 0; t < args.x.shape[0]; ++t) {
    for (std::int64_t g = 0; g < args.groups; ++g) {
      float* x = args.x.row(t) + g * size;
      float* y = args.y.row(t) + g * size;
      double squares = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        if (!args.add.empty()) x[i] += args.add.row(t)[g * size + i];
        squares += double{x[i]} * x[i];
      }
      const double scale = 1.0 / std::sqrt(squares / static_cast<double>(size) + args.eps);
      for (std::int64_t i = 0; i < size; ++i) {
        y[i] = static_cast<float>(x[i] * scale * (double{weight[i]} + args.weight_offset));
      }
    }
  }
}

}  // namespace sglrun::kernels::ref
