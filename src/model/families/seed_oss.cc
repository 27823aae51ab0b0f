// Seed-OSS: the plain decoder with biases on q, k and v, a key for one on the output, and heads of
// their own size.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadSeedOss(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 27648,
                                            .num_hidden_layers = 64,
                                            .num_attention_heads = 80,
                                            .num_key_value_heads = 8,
                                            .head_dim = 128,
                                            .vocab_size = 155136,
                                            .max_position_embeddings = 524288});
  ReadQkvBias(keys, "attention_bias", true, model);
  ReadMlpBias(keys, model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.output_bias = keys.Bool("attention_out_bias", layer.mixer.output_bias);
    layer.before_mlp->gguf_name = "post_attention_norm";
  }
  return model;
}

}  // namespace

extern const Family kSeedOss;
const Family kSeedOss = {
    .name = "seed_oss",
    .causal_class = "SeedOssForCausalLM",
    .gguf_name = "seed_oss",
    .bos_token_id = 0,
    .eos_token_ids = {2},
    .read = ReadSeedOss,
};

}  // namespace sglrun::model
