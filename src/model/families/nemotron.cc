// Nemotron 4, Minitron: layer norms whose weights are stored less 1, a plain MLP with the square of
// relu, and a part of each head that rotates.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadNemotron(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 6144,
                                            .intermediate_size = 24576,
                                            .num_attention_heads = 48,
                                            .vocab_size = 256000,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "norm_eps",
                                            .activation = "relu2",
                                            .partial_rotary_factor = 0.5});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  UseLayerNorms(true, model);
  for (LayerSpec& layer : model.layers) layer.mlp.gated = false;
  return model;
}

}  // namespace

extern const Family kNemotron;
const Family kNemotron = {
    .name = "nemotron",
    .causal_class = "NemotronForCausalLM",
    .gguf_name = "nemotron",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {3},
    .read = ReadNemotron,
};

}  // namespace sglrun::model
