// dots.llm1: attention as in Qwen 3, experts as in DeepSeek V3.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadDots1(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 4608,
                                            .intermediate_size = 10944,
                                            .num_hidden_layers = 62,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 152064});
  if (!keys.status().ok()) return model;
  for (LayerSpec& layer : model.layers) layer.mixer.head_norm = {.eps = model.final_norm.eps};
  ReadAttentionBias(keys, model);
  ReadLaterWindows(keys, WindowKey(keys, 4096), 62, model);
  UseSigmoidExperts(keys,
                    {.counts = {.inner = 1408, .count_key = "n_routed_experts"},
                     .renormalise = false,
                     .shared = 0},
                    model);
  return model;
}

}  // namespace

extern const Family kDots1;
const Family kDots1 = {
    .name = "dots1",
    .causal_class = "Dots1ForCausalLM",
    .gguf_name = "dots1",
    .has_experts = true,
    .tensor_names = {{"mlp.shared_expert.", "mlp.shared_experts."}},
    .read = ReadDots1,
};

}  // namespace sglrun::model
