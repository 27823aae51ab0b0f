// ERNIE 4.5 with experts: chosen by softmax and a bias, the weights of the chosen renormalised; the
// shared experts are one MLP.
#include <algorithm>

#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadErnie45Moe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2560,
                                            .intermediate_size = 12288,
                                            .num_hidden_layers = 28,
                                            .num_attention_heads = 20,
                                            .num_key_value_heads = 4,
                                            .vocab_size = 103424,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f,
                                            .tie_word_embeddings = true,
                                            .rope_theta = 5e5});
  if (!keys.status().ok()) return model;
  ReadBiases(keys, "use_bias", false, model);
  MoeSpec moe = ReadExperts(keys,
                            {.experts = 64,
                             .chosen = 6,
                             .inner = 1536,
                             .count_key = "moe_num_experts",
                             .chosen_key = "moe_k"},
                            model);
  moe.router.choice_bias = true;
  moe.router.renormalise = true;
  const bool is_gguf = keys.gguf() != nullptr;
  moe.shared = SharedExperts(moe.expert,
                             keys.Int(is_gguf ? "n_shared_experts" : "moe_num_shared_experts", 2));
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  const std::int64_t first =
      keys.Int(is_gguf ? "first_k_dense_replace" : "moe_layer_start_index", 1);
  const std::int64_t last = keys.Int("moe_layer_end_index", -1);
  const std::int64_t step = keys.Int("moe_layer_interval", 1);
  if (step < 1) {
    keys.Fail("moe_layer_interval is " + std::to_string(step) + ", must be at least 1");
    return model;
  }
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i < layers; ++i) {
    if ((i + 1) % step != 0 || (last != -1 && i > last)) continue;
    model.layers[static_cast<std::size_t>(i)].moe = moe;
  }
  return model;
}

}  // namespace

extern const Family kErnie45Moe;
const Family kErnie45Moe = {
    .name = "ernie4_5_moe",
    .causal_class = "Ernie4_5_MoeForCausalLM",
    .gguf_name = "ernie4_5-moe",
    .has_experts = true,
    .rotates_pairs = true,
    .tensor_names = {{"mlp.shared_expert.", "mlp.shared_experts."},
                     {"mlp.gate.e_score_correction_bias",
                      "mlp.moe_statics.e_score_correction_bias"}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadErnie45Moe,
};

}  // namespace sglrun::model
