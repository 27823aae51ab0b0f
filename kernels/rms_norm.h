// rms_norm: x += add (when given); y = x * rsqrt(mean(x^2) + eps) * (weight + weight_offset)
// (Zhang and Sennrich 2019, arXiv:1910.07467.) Each row of the last axis is one vector.
//
// x f32 [T, H], updated in place only when `add` is given; add f32 [T, H] or empty; weight f32 [H];
// y f32 [T, H], may alias x when `add` is empty. Row strides are free, so q and k heads inside a
// fused qkv row can be normalised as [T * heads, D] only if contiguous, else through `groups`:
// each row holds `groups` consecutive vectors of H elements.
//
// Error: the sum of squares in float32 lanes, relative 1e-6 of y for H up to 16384.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct RmsNormArgs {
  tensor::TensorView x;       // f32 [T, groups * H]
  tensor::TensorView add;     // f32 [T, groups * H] or empty
  tensor::TensorView weight;  // f32 [H]
  tensor::TensorView y;       // f32 [T, groups * H]
  float eps = 1e-6f;
  float weight_offset = 0.0f;  // 1 for Gemma's (1 + w)
  std::int64_t groups = 1;
};

std::string Check(const RmsNormArgs& args);

}  // namespace sglrun::kernels
