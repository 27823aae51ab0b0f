// GLM 4.5 and 4.6: half of each head rotates, experts as in DeepSeek V3.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGlm4Moe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 10944,
                                            .num_hidden_layers = 46,
                                            .num_attention_heads = 96,
                                            .num_key_value_heads = 8,
                                            .vocab_size = 151552,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f,
                                            .partial_rotary_factor = 0.5});
  if (!keys.status().ok()) return model;
  ReadQkvBias(keys, "attention_bias", false, model);
  const bool has_head_norm =
      keys.gguf() != nullptr ? keys.gguf()->head_norm : keys.Bool("use_qk_norm", false);
  for (LayerSpec& layer : model.layers) {
    if (has_head_norm) layer.mixer.head_norm = {.eps = model.final_norm.eps};
    layer.before_mlp->gguf_name = "post_attention_norm";
  }
  UseSigmoidExperts(
      keys,
      {.counts = {.experts = 128, .chosen = 8, .inner = 1408, .count_key = "n_routed_experts"},
       .dense_layers = 1},
      model);
  return model;
}

}  // namespace

extern const Family kGlm4Moe;
const Family kGlm4Moe = {
    .name = "glm4_moe",
    .causal_class = "Glm4MoeForCausalLM",
    .gguf_name = "glm4moe",
    .predicts_further = true,
    .has_experts = true,
    .tensor_names = {{"mlp.shared_expert.", "mlp.shared_experts."}},
    .read = ReadGlm4Moe,
};

}  // namespace sglrun::model
