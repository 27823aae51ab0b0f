#include "kernels/silu_and_mul.h"

#include <cmath>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

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
