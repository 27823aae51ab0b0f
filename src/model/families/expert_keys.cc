#include "model/families/expert_keys.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

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

namespace {

// "dense" or "sparse" for each layer.
std::vector<bool> ReadSparseLayers(const Json& types, std::size_t layers, ConfigReader& keys) {
  std::vector<bool> sparse(layers);
  if (!types.is_array() || types.as_array().size() != layers) {
    keys.Fail("mlp_layer_types must be a list of " + std::to_string(layers) +
              " names, one a layer");
    return sparse;
  }
  for (std::size_t i = 0; i < layers; ++i) {
    const Json& type = types.as_array()[i];
    sparse[i] = type.is_string() && type.as_string() == "sparse";
    if (!sparse[i] && !(type.is_string() && type.as_string() == "dense")) {
      keys.Fail("mlp_layer_types names " + type.Excerpt() + ", supported are dense and sparse");
    }
  }
  return sparse;
}

// Without mlp_layer_types, all but the first few.
std::vector<bool> SparseLayers(ConfigReader& keys, const SigmoidExpertDefaults& defaults,
                               std::size_t layers) {
  if (const Json* types = keys.Find("mlp_layer_types")) {
    return ReadSparseLayers(*types, layers, keys);
  }
  const std::int64_t dense = defaults.dense_key.empty()
                                 ? defaults.dense_layers
                                 : keys.Int(defaults.dense_key, defaults.dense_layers);
  std::vector<bool> sparse(layers);
  for (std::size_t i = 0; i < layers; ++i) sparse[i] = static_cast<std::int64_t>(i) >= dense;
  return sparse;
}

}  // namespace

std::optional<MlpSpec> SharedExperts(const MlpSpec& expert, std::int64_t count) {
  if (count <= 0) return std::nullopt;
  MlpSpec shared = expert;
  // A width that does not fit is refused with all others that are too large.
  if (__builtin_mul_overflow(shared.inner, count, &shared.inner)) {
    shared.inner = std::numeric_limits<std::int64_t>::max();
  }
  return shared;
}

void UseSigmoidExperts(ConfigReader& keys, const SigmoidExpertDefaults& defaults,
                       ModelSpec& model) {
  MoeSpec moe = ReadExperts(keys, defaults.counts, model);
  moe.router.score = kernels::RouteScore::kSigmoid;
  moe.router.choice_bias = true;
  moe.router.renormalise = keys.Bool("norm_topk_prob", defaults.renormalise);
  moe.router.scale = static_cast<float>(keys.Float(
      keys.gguf() != nullptr ? "routed_scaling_factor" : defaults.scale_key, defaults.scale));
  if (keys.gguf() != nullptr && keys.String("scoring_func", "sigmoid") != "sigmoid") {
    keys.Fail("expert_gating_func is not that of sigmoid, which is the only one supported here");
  }
  const std::int64_t groups = keys.Int("n_group", 1);
  if (groups != 1) {
    keys.Fail("n_group is " + std::to_string(groups) + ", only 1 is supported");
  }
  moe.shared = SharedExperts(
      moe.expert,
      keys.Int(keys.gguf() != nullptr ? "n_shared_experts" : defaults.shared_key, defaults.shared));
  const std::vector<bool> sparse = SparseLayers(keys, defaults, model.layers.size());
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    if (sparse[i]) model.layers[i].moe = moe;
  }
}

}  // namespace sglrun::model
