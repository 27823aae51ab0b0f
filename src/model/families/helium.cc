// Helium: the plain decoder that rotates adjacent pairs.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadHelium(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2560,
                                            .intermediate_size = 7040,
                                            .num_hidden_layers = 24,
                                            .num_attention_heads = 20,
                                            .num_key_value_heads = 20,
                                            .head_dim = 128,
                                            .vocab_size = 48000,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-8f,
                                            .rope_theta = 1e5});
  // The output has no bias, whatever the key says.
  ReadQkvBias(keys, "attention_bias", false, model);
  ReadMlpBias(keys, model);
  return model;
}

}  // namespace

extern const Family kHelium;
const Family kHelium = {
    .name = "helium",
    .causal_class = "HeliumForCausalLM",
    .rotates_pairs = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadHelium,
};

}  // namespace sglrun::model
