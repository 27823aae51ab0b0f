// Gemma 2: norms before and after both branches, soft caps of scores and logits, and every other
// layer with a window.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGemma2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2304,
                                            .intermediate_size = 9216,
                                            .num_hidden_layers = 26,
                                            .num_attention_heads = 8,
                                            .num_key_value_heads = 4,
                                            .head_dim = 256,
                                            .vocab_size = 256000,
                                            .max_position_embeddings = 8192,
                                            .activation_key = "hidden_activation",
                                            .activation = "gelu_pytorch_tanh",
                                            .tie_word_embeddings = true});
  ReadAttentionBias(keys, model);
  RefuseTrue(keys, "use_bidirectional_attention");
  ReadWindows(keys, WindowKey(keys, 4096), 2, model);
  UseSandwichNorms(model);
  model.embedding_scale = RootOfHidden(keys, model);
  model.logit_softcap = SoftcapKey(keys, "final_logit_softcapping", 30.0);
  const float softcap = SoftcapKey(keys, "attn_logit_softcapping", 50.0);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.softcap = softcap;
    layer.mixer.scale = QueryScalarScale(keys, model, /*layers_of_27b=*/46);
  }
  return model;
}

}  // namespace

extern const Family kGemma2;
const Family kGemma2 = {
    .name = "gemma2",
    .causal_class = "Gemma2ForCausalLM",
    .gguf_name = "gemma2",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {1},
    .read = ReadGemma2,
};

}  // namespace sglrun::model
