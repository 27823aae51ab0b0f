// The keys of mixtures of experts, in the spelling of config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Defaults of the family's configuration class in transformers.
struct ExpertDefaults {
  std::int64_t experts = 0, chosen = 0;
  std::optional<std::int64_t> inner = {};      // of moe_intermediate_size; none: intermediate_size
  std::string_view count_key = "num_experts";  // other than num_local_experts
  std::string_view chosen_key = "num_experts_per_tok";
};

// Experts in the width and number that the keys state, with the activation of the model's MLP,
// chosen by softmax. For a model that has layers.
MoeSpec ReadExperts(ConfigReader& keys, const ExpertDefaults& defaults, const ModelSpec& model);

// Gives experts to the layers that have them in the Qwen classes: those where (layer + 1) is a
// multiple of decoder_sparse_step, except the layers in mlp_only_layers.
void UseExpertsAsQwen(ConfigReader& keys, const MoeSpec& moe, ModelSpec& model);

// Gives experts to every layer as the OLMo classes do, and norms of all heads of a query and of a
// key as one row.
void UseExpertsAsOlmo(ConfigReader& keys, const ExpertDefaults& defaults, ModelSpec& model);

// Defaults of the router of DeepSeek V3.
struct SigmoidExpertDefaults {
  ExpertDefaults counts;
  bool renormalise = true;
  float scale = 1;
  std::string_view scale_key = "routed_scaling_factor";
  std::int64_t shared = 1;
  std::string_view shared_key = "n_shared_experts";
  std::int64_t dense_layers = 0;                         // without experts, at the beginning
  std::string_view dense_key = "first_k_dense_replace";  // "": the class has none
};

// Gives experts to the layers from `dense_layers` on (or to those that mlp_layer_types
// calls sparse) as DeepSeek V3 does: scores by sigmoid, a bias added to them for the choice, and the
// scores of the chosen, renormalised where norm_topk_prob says so, times `scale`. The
// shared experts are one MLP that all tokens take.
void UseSigmoidExperts(ConfigReader& keys, const SigmoidExpertDefaults& defaults, ModelSpec& model);

// One MLP for all tokens, as wide as `count` experts; 0: none.
std::optional<MlpSpec> SharedExperts(const MlpSpec& expert, std::int64_t count);

}  // namespace sglrun::model
