// Hunyuan 3 (HY-V3): attention as in Qwen 3, experts nearly as in DeepSeek V3.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadHyV3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 13312,
                                            .num_hidden_layers = 80,
                                            .num_attention_heads = 64,
                                            .num_key_value_heads = 8,
                                            .head_dim = 128,
                                            .vocab_size = 120832,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f,
                                            .rope_theta = 11158840.0});
  if (!keys.status().ok()) return model;
  for (LayerSpec& layer : model.layers) layer.mixer.head_norm = {.eps = model.final_norm.eps};
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  UseSigmoidExperts(keys,
                    {.counts = {.experts = 192, .chosen = 8, .inner = 1536},
                     .scale = 2.826f,
                     .scale_key = "router_scaling_factor",
                     .shared_key = "num_shared_experts",
                     .dense_layers = 1,
                     .dense_key = ""},
                    model);
  return model;
}

}  // namespace

extern const Family kHyV3;
const Family kHyV3 = {
    .name = "hy_v3",
    .causal_class = "HYV3ForCausalLM",
    .predicts_further = true,
    .has_experts = true,
    .tensor_names = {{"mlp.gate.e_score_correction_bias", "mlp.expert_bias"},
                     {"mlp.gate.", "mlp.router.gate."},
                     {"mlp.shared_expert.", "mlp.shared_mlp."}},
    .read = ReadHyV3,
};

}  // namespace sglrun::model
