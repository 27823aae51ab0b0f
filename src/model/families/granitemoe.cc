// Granite 3 with experts in every layer, the weights of the chosen by softmax over them alone, which
// is the softmax over all, renormalised. Some models have a shared expert.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/granite_factors.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGraniteMoe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {});
  if (!keys.status().ok()) return model;
  ReadAttentionBias(keys, model);
  UseGraniteFactors(keys, model);
  MoeSpec moe =
      ReadExperts(keys, {.experts = 8, .chosen = 2, .count_key = "num_local_experts"}, model);
  moe.router.renormalise = true;
  for (LayerSpec& layer : model.layers) layer.moe = moe;
  return model;
}

ModelSpec ReadGraniteMoeShared(ConfigReader& keys) {
  ModelSpec model = ReadGraniteMoe(keys);
  const std::int64_t width = keys.Int("shared_intermediate_size", 0);
  if (width == 0) return model;
  for (LayerSpec& layer : model.layers) {
    if (!layer.moe) continue;
    layer.moe->shared = layer.moe->expert;
    layer.moe->shared->inner = width;
    layer.moe->shared->fused = true;
  }
  return model;
}

}  // namespace

extern const Family kGraniteMoe;
const Family kGraniteMoe = {
    .name = "granitemoe",
    .causal_class = "GraniteMoeForCausalLM",
    .gguf_name = "granitemoe",
    .has_experts = true,
    .gguf_interleaves_rope = true,
    .tensor_names = {{"mlp.gate.", "block_sparse_moe.router.layer."}},
    .expert_stacks = {{"block_sparse_moe.input_linear.weight", {"gate_proj", "up_proj"}},
                      {"block_sparse_moe.output_linear.weight", {"down_proj"}}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadGraniteMoe,
};

extern const Family kGraniteMoeShared;
const Family kGraniteMoeShared = {
    .name = "granitemoeshared",
    .causal_class = "GraniteMoeSharedForCausalLM",
    .has_experts = true,
    .tensor_names = {{"mlp.gate.", "block_sparse_moe.router.layer."},
                     {"mlp.shared_expert.gate_up_proj", "shared_mlp.input_linear"},
                     {"mlp.shared_expert.down_proj", "shared_mlp.output_linear"}},
    .expert_stacks = {{"block_sparse_moe.input_linear.weight", {"gate_proj", "up_proj"}},
                      {"block_sparse_moe.output_linear.weight", {"down_proj"}}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadGraniteMoeShared,
};

}  // namespace sglrun::model
