// norm: x += add (when given), then each vector of the last axis by itself
//   kRms    y = x * rsqrt(mean(x^2) + eps) * weight          (Zhang and Sennrich 2019, arXiv:1910.07467)
//   kLayer  y = (x - m) * rsqrt(mean((x - m)^2) + eps) * weight (+ bias),  m = mean(x)
//                                                            (Ba et al. 2016, arXiv:1607.06450)
//
// x f32 [T, H], updated in place only when `add` is given; add f32 [T, H] or empty; weight f32 [H];
// bias f32 [H] or empty; y f32 [T, H], may alias x when `add` is empty. Row strides are free, so q
// and k heads inside a fused qkv row can be normalised as [T * heads, D] only if contiguous, else
// through `groups`: each row holds `groups` consecutive vectors of H elements.
//
// Error: the sums in float32 lanes, for H up to 16384: relative 1e-6 of y; of kLayer 1e-6 of the
// largest |weight (x - m) rsqrt(..)|, of m and of the bias.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

enum class NormKind : std::uint8_t { kRms, kLayer };

struct NormArgs {
  NormKind kind = NormKind::kRms;
  tensor::TensorView x;       // f32 [T, groups * H]
  tensor::TensorView add;     // f32 [T, groups * H] or empty
  tensor::TensorView weight;  // f32 [H]
  tensor::TensorView y;       // f32 [T, groups * H]
  float eps = 1e-6f;
  std::int64_t groups = 1;
  tensor::TensorView bias = {};  // f32 [H] or empty; of kLayer
};

std::string Check(const NormArgs& args);

}  // namespace sglrun::kernels
