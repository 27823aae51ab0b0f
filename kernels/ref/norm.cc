#include "kernels/norm.h"

#include <cmath>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

// One vector of row t, from element `first` on.
void Normalise(const NormArgs& args, std::int64_t t, std::int64_t first) {
  const std::int64_t size = args.weight.shape[0];
  float* x = args.x.row(t) + first;
  float* y = args.y.row(t) + first;
  double mean = 0, squares = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!args.add.empty()) x[i] += args.add.row(t)[first + i];
    mean += double{x[i]} / static_cast<double>(size);
  }
  if (args.kind == NormKind::kRms) mean = 0;
  for (std::int64_t i = 0; i < size; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(size) + double{args.eps});
  for (std::int64_t i = 0; i < size; ++i) {
    const double bias = args.bias.empty() ? 0.0 : double{args.bias.f32()[i]};
    y[i] = static_cast<float>((x[i] - mean) * scale * args.weight.f32()[i] + bias);
  }
}

}  // namespace

void Norm(const NormArgs& args, KernelContext&) {
  for (std::int64_t t = 0; t < args.x.shape[0]; ++t) {
    for (std::int64_t g = 0; g < args.groups; ++g) Normalise(args, t, g * args.weight.shape[0]);
  }
}

}  // namespace sglrun::kernels::ref
