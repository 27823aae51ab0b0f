// The decoder that most families are variations of: a norm in front of attention and of a gated
// MLP, one rope, no biases.
#pragma once

#include <cstdint>

#include "model/spec/model_spec.h"

namespace sglrun::model {

struct PlainSizes {
  std::int64_t hidden = 0, inner = 0, layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t vocab = 0, context = 0;
  float norm_eps = 1e-6f;
};

// With a head of its own. The rope has no angles yet (spec/rope.h).
ModelSpec PlainDecoder(const PlainSizes& sizes);

// Variations of its layers, in the usual names.
// Norms after both branches in place of those before them.
void UseNormsAfter(ModelSpec& model);
// Norms before and after both branches.
void UseSandwichNorms(ModelSpec& model);
// Layer norms everywhere.
void UseLayerNorms(bool bias, ModelSpec& model);
// Biases in all products of the layers.
void UseBiases(ModelSpec& model);
// Both branches read the same norm of the same x.
void UseParallelBranches(ModelSpec& model);

}  // namespace sglrun::model
