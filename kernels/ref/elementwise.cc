// rms_norm, rope and silu_and_mul: one row in, one row out.
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

void Rope(const RopeArgs& args, KernelContext&) {
  const std::int64_t half = args.cos_table.shape[1];
  for (std::int64_t t = 0; t < args.x.shape[0]; ++t) {
    for (std::int64_t h = 0; h < args.heads; ++h) {
      float* x = args.x.row(t) + h * args.head_dim;
      for (std::int64_t i = 0; i < half; ++i) {
        const int axis = args.axis.empty() ? 0 : args.axis[static_cast<std::size_t>(i)];
        const std::int32_t position =
            args.positions[static_cast<std::size_t>(t * args.positions_per_token + axis)];
        const double cos = args.cos_table.row(position)[i];
        const double sin = args.sin_table.row(position)[i];
        const double a = x[i], b = x[i + half];
        x[i] = static_cast<float>(a * cos - b * sin);
        x[i + half] = static_cast<float>(b * cos + a * sin);
      }
    }
  }
}

void SiluAndMul(const SiluAndMulArgs& args, KernelContext&) {
  const std::int64_t size = args.y.shape[1];
  for (std::int64_t t = 0; t < args.y.shape[0]; ++t) {
    for (std::int64_t i = 0; i < size; ++i) {
      const double a = args.x.row(t)[i];
      args.y.row(t)[i] = static_cast<float>(a / (1.0 + std::exp(-a)) * args.x.row(t)[size + i]);
    }
  }
}

}  // namespace sglrun::kernels::ref
