// StarCoder2: layer norms, a plain MLP with gelu, and one key for all biases.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadStarCoder2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 3072,
                                            .intermediate_size = 12288,
                                            .num_hidden_layers = 30,
                                            .num_attention_heads = 24,
                                            .num_key_value_heads = 2,
                                            .vocab_size = 49152,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "norm_epsilon",
                                            .activation = "gelu_pytorch_tanh",
                                            .tie_word_embeddings = true});
  ReadBiases(keys, "use_bias", true, model);
  UseLayerNorms(true, model);
  SlideExceptEvery(0, keys.gguf() != nullptr ? keys.gguf()->window : WindowKey(keys, 0), model);
  for (LayerSpec& layer : model.layers) layer.mlp.gated = false;
  return model;
}

}  // namespace

extern const Family kStarCoder2;
const Family kStarCoder2 = {
    .name = "starcoder2",
    .causal_class = "Starcoder2ForCausalLM",
    .gguf_name = "starcoder2",
    .tensor_names = {{"mlp.up_proj", "mlp.c_fc"}, {"mlp.down_proj", "mlp.c_proj"}},
    .bos_token_id = 50256,
    .eos_token_ids = {50256},
    .read = ReadStarCoder2,
};

}  // namespace sglrun::model
