#include "kernels/activation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

double Value(const ActivationArgs& args, double a) {
  switch (args.kind) {
    case ActivationKind::kSilu:
      return a / (1.0 + std::exp(-a));
    case ActivationKind::kGelu:
      return a * std::erfc(-a / std::numbers::sqrt2) / 2;
    case ActivationKind::kGeluTanh:
      return a /
             (1.0 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a)));
    case ActivationKind::kRelu:
      return a < 0 ? 0.0 : a;
    case ActivationKind::kRelu2:
      return a < 0 ? 0.0 : a * a;
    case ActivationKind::kSoftcap:
      return args.cap * std::tanh(a / args.cap);
  }
  return 0;
}

}  // namespace

void Activate(const ActivationArgs& args, KernelContext&) {
  const std::int64_t size = args.y.shape[1];
  for (std::int64_t t = 0; t < args.y.shape[0]; ++t) {
    for (std::int64_t i = 0; i < size; ++i) {
      const double value = Value(args, args.x.row(t)[i]);
      args.y.row(t)[i] = static_cast<float>(args.gated ? value * args.x.row(t)[size + i] : value);
    }
  }
}

}  // namespace sglrun::kernels::ref
