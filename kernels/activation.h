// activation: y[t, i] = f(x[t, i]) * x[t, I + i] where it is gated (Shazeer 2020,
// arXiv:2002.05202), else y[t, i] = f(x[t, i]):
//   kSilu      a / (1 + exp(-a))
//   kGelu      a (1 + erf(a / sqrt(2))) / 2
//   kGeluTanh  a (1 + tanh(sqrt(2 / pi) (a + 0.044715 a^3))) / 2
//   kRelu      max(a, 0)
//   kRelu2     max(a, 0)^2
//   kSoftcap   cap tanh(a / cap)
// x f32 [T, 2 I] where it is gated, else [T, I]; y f32 [T, I]. y may be x where it is not gated.
//
// Error of f: relative 1e-6; of kGelu and kGeluTanh at a relative (1 + a^2) 1e-6, because an error
// of the exponent grows with it.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

enum class ActivationKind : std::uint8_t { kSilu, kGelu, kGeluTanh, kRelu, kRelu2, kSoftcap };

struct ActivationArgs {
  ActivationKind kind = ActivationKind::kSilu;
  bool gated = true;
  tensor::TensorView x;  // f32 [T, 2 I], or [T, I]
  tensor::TensorView y;  // f32 [T, I]
  float cap = 1.0f;      // of kSoftcap, above 0
};

std::string Check(const ActivationArgs& args);

}  // namespace sglrun::kernels
