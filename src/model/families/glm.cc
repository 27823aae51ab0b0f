// GLM-4-9b in the form of transformers: half of each head rotates, in adjacent pairs; gate and up are
// one tensor; biases on q, k and v.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGlm(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 13696,
                                            .num_hidden_layers = 40,
                                            .num_key_value_heads = 2,
                                            .head_dim = 128,
                                            .vocab_size = 151552,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1.5625e-7f,
                                            .partial_rotary_factor = 0.5});
  ReadQkvBias(keys, "attention_bias", true, model);
  for (LayerSpec& layer : model.layers) layer.mlp.fused = true;
  return model;
}

}  // namespace

extern const Family kGlm;
const Family kGlm = {
    .name = "glm",
    .causal_class = "GlmForCausalLM",
    .gguf_name = "chatglm",
    .rotates_pairs = true,
    .eos_token_ids = {151329, 151336, 151338},
    .read = ReadGlm,
};

}  // namespace sglrun::model
