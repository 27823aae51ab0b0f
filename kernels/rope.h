// rope: rotary position embedding (Su et al. 2021, arXiv:2104.09864), "half" layout: element i of a
// head pairs with element i + rot/2, for i < rot/2; elements from rot on pass through.
//   a' = a cos - b sin,  b' = b cos + a sin,  cos = cos_table[p, i], sin = sin_table[p, i]
// where p = positions[t, axis[i]]. In place on x.
//
// Positions may be one integer per token (P = 1) or three (P = 3: time, height, width, as
// multimodal models use); axis[i] is the one that pair i uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct RopeArgs {
  tensor::TensorView x;  // f32 [T, heads * D], row stride free
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;                // D
  std::span<const std::int32_t> positions;  // [T * P]
  int positions_per_token = 1;              // P: 1 or 3
  std::span<const std::uint8_t> axis;       // [rot / 2], values < P; empty means all 0
  tensor::TensorView cos_table;             // f32 [max_positions, rot / 2]
  tensor::TensorView sin_table;             // f32 [max_positions, rot / 2]
};

std::string Check(const RopeArgs& args);

}  // namespace sglrun::kernels
