// InternLM 3: the plain decoder, whose keys of biases have older names, too.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadInternLm3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 10240,
                                            .num_hidden_layers = 48,
                                            .num_key_value_heads = 2,
                                            .head_dim = 128,
                                            .vocab_size = 128512,
                                            .max_position_embeddings = 32768,
                                            .rms_norm_eps = 1e-5f});
  const bool attention = keys.Bool("attention_bias", keys.Bool("qkv_bias", false));
  const bool all = keys.Bool("mlp_bias", keys.Bool("bias", false));
  if (attention != all) {
    keys.Fail("biases of attention and of the MLP differ (qkv_bias, bias), which is not supported");
  }
  if (all) UseBiases(model);
  return model;
}

}  // namespace

extern const Family kInternLm3;
const Family kInternLm3 = {
    .name = "internlm3",
    .causal_class = "InternLM3ForCausalLM",
    .other_class = "LlamaForCausalLM",
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadInternLm3,
};

}  // namespace sglrun::model
