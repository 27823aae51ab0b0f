#include "kernels/gemm.h"

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

using tensor::DType;

void Gemm(const GemmArgs& args, KernelContext&) {
  const PackedWeight& weight = *args.weight;
  for (std::int64_t m = 0; m < args.x.shape[0]; ++m) {
    for (std::int64_t n = 0; n < weight.n; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < weight.k; ++k) {
        float x = args.x.row(m)[k];
        if (weight.dtype == DType::kBF16) x = tensor::BF16ToFloat(tensor::FloatToBF16(x));
        sum += double{x} * LoadElement(weight.data.data(), weight.dtype, n * weight.k + k);
      }
      if (!args.bias.empty()) sum += args.bias.f32()[n];
      float& y = args.y.row(m)[n];
      y = static_cast<float>(args.accumulate ? sum + y : sum);
    }
  }
}

}  // namespace sglrun::kernels::ref
