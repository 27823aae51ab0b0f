// GLM-4-0414: as GLM, with norms after both branches too.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGlm4(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 13696,
                                            .num_hidden_layers = 40,
                                            .num_key_value_heads = 2,
                                            .head_dim = 128,
                                            .vocab_size = 151552,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1.5625e-7f,
                                            .partial_rotary_factor = 0.5});
  ReadQkvBias(keys, "attention_bias", true, model);
  const float eps = model.final_norm.eps;
  for (LayerSpec& layer : model.layers) {
    layer.mlp.fused = true;
    layer.after_mixer = NormSpec{"post_self_attn_layernorm", "post_attention_norm", eps};
    layer.after_mlp = NormSpec{"post_mlp_layernorm", "post_ffw_norm", eps};
  }
  return model;
}

}  // namespace

extern const Family kGlm4;
const Family kGlm4 = {
    .name = "glm4",
    .causal_class = "Glm4ForCausalLM",
    .gguf_name = "glm4",
    .rotates_pairs = true,
    .eos_token_ids = {151329, 151336, 151338},
    .read = ReadGlm4,
};

}  // namespace sglrun::model
