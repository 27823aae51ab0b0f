// silu_and_mul: y[t, i] = silu(x[t, i]) * x[t, I + i], silu(a) = a / (1 + exp(-a))
// (SwiGLU, Shazeer 2020, arXiv:2002.05202). x f32 [T, 2 I], y f32 [T, I]; y must not alias x.
// Error: relative 4 * 2^-24 with a correctly rounded exp, 1e-6 allowed.
#pragma once

#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct SiluAndMulArgs {
  tensor::TensorView x;  // f32 [T, 2 I]
  tensor::TensorView y;  // f32 [T, I]
};

std::string Check(const SiluAndMulArgs& args);

}  // namespace sglrun::kernels
