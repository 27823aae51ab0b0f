#include "model/families/expert_keys.h"

#include <algorithm>
#include <string>

namespace sglrun::model {

MoeSpec ReadExperts(ConfigReader& keys, const ExpertDefaults& defaults, const ModelSpec& model) {
  MoeSpec moe;
  moe.expert = model.layers[0].mlp;
  // A GGUF file has each key in one spelling, and no defaults of classes.
  const bool is_gguf = keys.gguf() != nullptr;
  const auto count = keys.OptionalInt(is_gguf ? "num_experts" : defaults.count_key);
  moe.router.experts =
      count ? *count : keys.Int("num_local_experts", is_gguf ? 0 : defaults.experts);
  moe.router.chosen = keys.Int(is_gguf ? "num_experts_per_tok" : defaults.chosen_key,
                               is_gguf ? 0 : defaults.chosen);
  if (defaults.inner) {
    moe.expert.inner =
        keys.Int("moe_intermediate_size", is_gguf ? moe.expert.inner : *defaults.inner);
  }
  return moe;
}

void UseExpertsAsQwen(ConfigReader& keys, const MoeSpec& moe, ModelSpec& model) {
  const std::int64_t step = keys.Int("decoder_sparse_step", 1);
  if (step < 1) {
    return keys.Fail("decoder_sparse_step is " + std::to_string(step) + ", must be at least 1");
  }
  const std::vector<std::int32_t> dense = keys.Ids("mlp_only_layers");
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const bool is_dense = std::ranges::find(dense, static_cast<std::int32_t>(i)) != dense.end();
    const bool is_sparse = (static_cast<std::int64_t>(i) + 1) % step == 0;
    if (is_sparse && !is_dense) model.layers[i].moe = moe;
  }
}

void UseExpertsAsOlmo(ConfigReader& keys, const ExpertDefaults& defaults, ModelSpec& model) {
  MoeSpec moe = ReadExperts(keys, defaults, model);
  moe.router.renormalise = keys.Bool("norm_topk_prob", false);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps, .whole_row = true};
    layer.moe = moe;
  }
}

}  // namespace sglrun::model
