// ERNIE 4.5, the dense models: the plain decoder that rotates adjacent pairs, with one key for all
// biases.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadErnie45(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 1024,
                                            .intermediate_size = 3072,
                                            .num_hidden_layers = 18,
                                            .num_attention_heads = 16,
                                            .num_key_value_heads = 2,
                                            .head_dim = 128,
                                            .vocab_size = 103424,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f,
                                            .tie_word_embeddings = true,
                                            .rope_theta = 5e5});
  ReadBiases(keys, "use_bias", false, model);
  return model;
}

}  // namespace

extern const Family kErnie45;
const Family kErnie45 = {
    .name = "ernie4_5",
    .causal_class = "Ernie4_5ForCausalLM",
    .gguf_name = "ernie4_5",
    .rotates_pairs = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadErnie45,
};

}  // namespace sglrun::model
