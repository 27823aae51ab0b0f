#include "model/families/gemma2_keys.h"

#include "model/families/plain_keys.h"

namespace sglrun::model {

ModelSpec ReadGemma2Decoder(ConfigReader& keys) {
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
  model.embedding_scale = RootOfHidden(keys, model);
  model.logit_softcap = SoftcapKey(keys, "final_logit_softcapping", 30.0);
  const float softcap = SoftcapKey(keys, "attn_logit_softcapping", 50.0);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.softcap = softcap;
    layer.mixer.scale = QueryScalarScale(keys, model, /*layers_of_27b=*/46);
  }
  return model;
}

}  // namespace sglrun::model
