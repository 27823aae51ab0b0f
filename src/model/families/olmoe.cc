// OLMoE: experts in every layer, norms of all heads of a query and of a key as one row.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadOlmoe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2048,
                                            .intermediate_size = 2048,
                                            .num_hidden_layers = 16,
                                            .num_attention_heads = 16,
                                            .num_key_value_heads = 16,
                                            .vocab_size = 50304,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f});
  if (!keys.status().ok()) return model;
  if (const auto clip = keys.OptionalFloat("clip_qkv")) {
    keys.Fail("clip_qkv is " + std::to_string(*clip) + ", which is not supported");
  }
  ReadAttentionBias(keys, model);
  UseExpertsAsOlmo(keys, {.experts = 64, .chosen = 8}, model);
  return model;
}

}  // namespace

extern const Family kOlmoe;
const Family kOlmoe = {
    .name = "olmoe",
    .causal_class = "OlmoeForCausalLM",
    .gguf_name = "olmoe",
    .has_experts = true,
    .eos_token_ids = {50279},
    .read = ReadOlmoe,
};

}  // namespace sglrun::model
