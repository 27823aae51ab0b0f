// IQuest-Coder: the plain decoder.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadIQuestCoder(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 5120,
                                            .intermediate_size = 27648,
                                            .num_hidden_layers = 80,
                                            .num_attention_heads = 40,
                                            .num_key_value_heads = 8,
                                            .head_dim = 128,
                                            .vocab_size = 76800,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  RefuseTrue(keys, "use_sliding_window");
  if (const auto clip = keys.OptionalFloat("clip_qkv")) {
    keys.Fail("clip_qkv is " + std::to_string(*clip) + ", which is not supported");
  }
  return model;
}

}  // namespace

extern const Family kIQuestCoder;
const Family kIQuestCoder = {
    .name = "iquestcoder",
    .causal_class = "IQuestCoderForCausalLM",
    .other_class = "LlamaForCausalLM",
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadIQuestCoder,
};

}  // namespace sglrun::model
