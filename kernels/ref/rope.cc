#include "kernels/rope.h"

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

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

}  // namespace sglrun::kernels::ref
