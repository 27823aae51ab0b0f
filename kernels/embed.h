// embed: out[t, :] = scale * W[ids[t], :] as float32, from the packed matrix (which also serves as
// the head of models with tied embeddings, so that it exists once). The product is rounded once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "kernels/packed_weight.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct EmbedArgs {
  std::span<const std::int32_t> ids;     // [T], each in [0, N)
  const PackedWeight* weight = nullptr;  // [N, H]
  tensor::TensorView out;                // f32 [T, H]
  float scale = 1.0f;
};

std::string Check(const EmbedArgs& args);

}  // namespace sglrun::kernels
