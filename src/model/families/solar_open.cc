// Solar Open: the plain decoder with experts as in DeepSeek V3.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadSolarOpen(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.num_hidden_layers = 48,
                                            .num_attention_heads = 64,
                                            .num_key_value_heads = 8,
                                            .head_dim = 128,
                                            .vocab_size = 196608,
                                            .max_position_embeddings = 131072,
                                            .rms_norm_eps = 1e-5f,
                                            .rope_theta = 1e6});
  if (!keys.status().ok()) return model;
  ReadAttentionBias(keys, model);
  UseSigmoidExperts(
      keys,
      {.counts = {.experts = 128, .chosen = 8, .inner = 1280, .count_key = "n_routed_experts"},
       .dense_key = ""},
      model);
  return model;
}

}  // namespace

extern const Family kSolarOpen;
const Family kSolarOpen = {
    .name = "solar_open",
    .causal_class = "SolarOpenForCausalLM",
    .has_experts = true,
    .tensor_names = {{"mlp.shared_expert.", "mlp.shared_experts."}},
    .read = ReadSolarOpen,
};

}  // namespace sglrun::model
