// Qwen 1.5 and 2 with experts: one more expert that all tokens take, times a gate of its own.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadQwen2Moe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2048,
                                            .intermediate_size = 5632,
                                            .num_hidden_layers = 24,
                                            .num_attention_heads = 16,
                                            .num_key_value_heads = 16,
                                            .vocab_size = 151936,
                                            .max_position_embeddings = 32768});
  if (!keys.status().ok()) return model;
  ReadQkvBias(keys, "qkv_bias", true, model);
  ReadQwenWindows(keys, model);
  MoeSpec moe = ReadExperts(keys, {.experts = 60, .chosen = 4, .inner = 1408}, model);
  moe.router.renormalise = keys.Bool("norm_topk_prob", false);
  moe.shared = moe.expert;
  moe.shared->inner = keys.Int("shared_expert_intermediate_size", 5632);
  moe.shared_gate = true;
  UseExpertsAsQwen(keys, moe, model);
  return model;
}

}  // namespace

extern const Family kQwen2Moe;
const Family kQwen2Moe = {
    .name = "qwen2_moe",
    .causal_class = "Qwen2MoeForCausalLM",
    .gguf_name = "qwen2moe",
    .has_experts = true,
    .read = ReadQwen2Moe,
};

}  // namespace sglrun::model
