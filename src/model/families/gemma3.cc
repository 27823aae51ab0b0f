// Gemma 3, its text model: as Gemma 2 with norms of queries and keys in place of the soft caps, a
// window in five of six layers, and two ropes.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGemma3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2304,
                                            .intermediate_size = 9216,
                                            .num_hidden_layers = 26,
                                            .num_attention_heads = 8,
                                            .num_key_value_heads = 4,
                                            .head_dim = 256,
                                            .vocab_size = 262208,
                                            .max_position_embeddings = 131072,
                                            .activation_key = "hidden_activation",
                                            .activation = "gelu_pytorch_tanh",
                                            .tie_word_embeddings = true,
                                            .rope_theta = 1e6,
                                            .has_sliding_rope = true,
                                            .sliding_rope_theta = 1e4});
  ReadAttentionBias(keys, model);
  RefuseTrue(keys, "use_bidirectional_attention");
  const std::int64_t period = keys.Int("_sliding_window_pattern", 6);
  ReadWindows(keys, WindowKey(keys, 4096), keys.Int("sliding_window_pattern", period), model);
  UseRopesByType(model);
  UseSandwichNorms(model);
  model.embedding_scale = RootOfHidden(keys, model);
  model.logit_softcap = SoftcapKey(keys, "final_logit_softcapping", 0);
  const float softcap = SoftcapKey(keys, "attn_logit_softcapping", 0);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.softcap = softcap;
    layer.mixer.scale = QueryScalarScale(keys, model, /*layers_of_27b=*/62);
    layer.mixer.head_norm = {.eps = model.final_norm.eps};
  }
  return model;
}

}  // namespace

extern const Family kGemma3;
const Family kGemma3 = {
    .name = "gemma3_text",
    .causal_class = "Gemma3ForCausalLM",
    .gguf_name = "gemma3",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {1},
    .read = ReadGemma3,
};

}  // namespace sglrun::model
