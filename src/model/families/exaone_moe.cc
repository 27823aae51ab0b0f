// K-EXAONE: attention as in EXAONE 4 with the norms before both branches, experts as in DeepSeek
// V3.
#include "model/families/exaone_attention.h"
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadExaoneMoe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 16384,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 102400,
                                            .rms_norm_eps = 1e-5f});
  if (!keys.status().ok()) return model;
  UseExaoneAttention(keys, model);
  UseSigmoidExperts(keys,
                    {.counts = {.experts = 64, .chosen = 8, .inner = 1024},
                     .scale = 2.5f,
                     .shared_key = "num_shared_experts",
                     .dense_layers = 1},
                    model);
  return model;
}

}  // namespace

extern const Family kExaoneMoe;
const Family kExaoneMoe = {
    .name = "exaone_moe",
    .causal_class = "ExaoneMoeForCausalLM",
    .gguf_name = "exaone-moe",
    .predicts_further = true,
    .has_experts = true,
    .tensor_names = {{"mlp.shared_expert.", "mlp.shared_experts."},
                     {"mlp.gate.e_score_correction_bias", "mlp.e_score_correction_bias"}},
    .bos_token_id = 1,
    .eos_token_ids = {53},
    .read = ReadExaoneMoe,
};

}  // namespace sglrun::model
