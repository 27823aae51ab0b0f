// Jais 2: layer norms, biases everywhere but on the head, a plain MLP with the square of relu.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadJais2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 3328,
                                            .intermediate_size = 26624,
                                            .num_attention_heads = 26,
                                            .vocab_size = 150272,
                                            .max_position_embeddings = 8192,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .activation = "relu2"});
  const bool attention = keys.Bool("attention_bias", true), mlp = keys.Bool("mlp_bias", true);
  UseLayerNorms(true, model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.qkv_bias = layer.mixer.output_bias = attention;
    layer.mlp.bias = mlp;
    layer.mlp.gated = false;
  }
  return model;
}

}  // namespace

extern const Family kJais2;
const Family kJais2 = {
    .name = "jais2",
    .causal_class = "Jais2ForCausalLM",
    .bos_token_id = 0,
    .eos_token_ids = {150024},
    .read = ReadJais2,
};

}  // namespace sglrun::model
