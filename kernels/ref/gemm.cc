#include "kernels/gemm.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/quantize.h"
#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

using tensor::DType;

// One group of a row of x as integers.
struct RoundedGroup {
  double scale = 0;
  std::int32_t codes[4 * kQuantLanes] = {};
};

template <int kVectors>
RoundedGroup Round(const float* x, std::int64_t size) {
  float padded[kVectors * kQuantLanes] = {};
  std::copy_n(x, size, padded);
  QuantFloats group[kVectors];
  QuantInts codes[kVectors];
  std::memcpy(&group, padded, sizeof group);
  RoundedGroup rounded;
  rounded.scale = RoundActivations(group, codes);
  std::memcpy(rounded.codes, &codes, sizeof codes);
  return rounded;
}

double QuantProduct(const float* x, const QuantRows& w, std::int64_t n) {
  const std::int64_t size = w.form.quant.group;
  double sum = 0;
  for (std::int64_t g = 0; g < w.groups; ++g) {
    const std::int64_t begin = g * size, count = std::min(size, w.k - begin);
    const RoundedGroup rounded = size == 64   ? Round<4>(x + begin, count)
                                 : size == 32 ? Round<2>(x + begin, count)
                                              : Round<1>(x + begin, count);
    double products = 0, codes = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      products += (w.codes[n * w.k + begin + i] - w.form.zero()) * rounded.codes[i];
      codes += rounded.codes[i];
    }
    sum += rounded.scale * products * w.scales[n * w.groups + g];
    if (w.form.quant.minima) sum += rounded.scale * codes * w.minima[n * w.groups + g];
  }
  return sum;
}

double FloatProduct(const float* x, const PackedWeight& weight, std::int64_t n) {
  double sum = 0;
  for (std::int64_t k = 0; k < weight.k; ++k) {
    const bool rounds = weight.dtype != DType::kF32;
    const float element = rounds ? tensor::BF16ToFloat(tensor::FloatToBF16(x[k])) : x[k];
    sum += double{element} * LoadWeight(weight, n, k);
  }
  return sum;
}

}  // namespace

void Gemm(const GemmArgs& args, KernelContext&) {
  const PackedWeight& weight = *args.weight;
  for (std::int64_t m = 0; m < args.x.shape[0]; ++m) {
    for (std::int64_t n = 0; n < weight.n; ++n) {
      double sum = weight.form().quantized() ? QuantProduct(args.x.row(m), QuantRows(weight), n)
                                             : FloatProduct(args.x.row(m), weight, n);
      if (!args.bias.empty()) sum += args.bias.f32()[n];
      sum *= args.alpha;
      float& y = args.y.row(m)[n];
      y = static_cast<float>(args.accumulate ? sum + y : sum);
    }
  }
}

}  // namespace sglrun::kernels::ref
