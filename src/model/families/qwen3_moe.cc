// Qwen 3 with experts. Published files renormalise the weights of the chosen, which the class does
// not by default; GGUF files have no key for it.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadQwen3Moe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2048,
                                            .intermediate_size = 6144,
                                            .num_hidden_layers = 24,
                                            .num_key_value_heads = 4,
                                            .vocab_size = 151936,
                                            .max_position_embeddings = 32768});
  if (!keys.status().ok()) return model;
  for (LayerSpec& layer : model.layers) layer.mixer.head_norm = {.eps = model.final_norm.eps};
  ReadAttentionBias(keys, model);
  const bool slides = keys.Bool("use_sliding_window", false);
  SlideExceptEvery(0, slides ? WindowKey(keys, 4096) : 0, model);
  MoeSpec moe = ReadExperts(keys, {.experts = 128, .chosen = 8, .inner = 768}, model);
  moe.router.renormalise = keys.Bool("norm_topk_prob", keys.gguf() != nullptr);
  UseExpertsAsQwen(keys, moe, model);
  return model;
}

}  // namespace

extern const Family kQwen3Moe;
const Family kQwen3Moe = {
    .name = "qwen3_moe",
    .causal_class = "Qwen3MoeForCausalLM",
    .gguf_name = "qwen3moe",
    .has_experts = true,
    .read = ReadQwen3Moe,
};

}  // namespace sglrun::model
