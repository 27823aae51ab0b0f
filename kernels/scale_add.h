// scale_add: y[m, n] = alpha * (gain[n] * x[m, n] (+ bias[n])) (+ y[m, n] before the call)
//
// x and y f32 [M, N], gain f32 [N], bias f32 [N] or empty. Each step is rounded to float32. y must
// not alias x.
#pragma once

#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct ScaleAddArgs {
  tensor::TensorView x;     // f32 [M, N], row stride free
  tensor::TensorView gain;  // f32 [N]
  tensor::TensorView bias;  // f32 [N] or empty
  tensor::TensorView y;     // f32 [M, N], row stride free
  bool accumulate = false;  // add to what y holds
  float alpha = 1.0f;
};

std::string Check(const ScaleAddArgs& args);

}  // namespace sglrun::kernels
