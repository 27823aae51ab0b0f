// Gemma: the plain decoder with gelu, an embedding scaled by the root of its width, and weights of
// norms that are stored minus 1.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGemma(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 3072,
                                            .intermediate_size = 24576,
                                            .num_hidden_layers = 28,
                                            .num_attention_heads = 16,
                                            .num_key_value_heads = 16,
                                            .head_dim = 256,
                                            .vocab_size = 256000,
                                            .max_position_embeddings = 8192,
                                            .activation = "gelu_pytorch_tanh",
                                            .tie_word_embeddings = true});
  ReadAttentionBias(keys, model);
  RefuseTrue(keys, "use_bidirectional_attention");
  model.embedding_scale = RootOfHidden(keys, model);
  for (LayerSpec& layer : model.layers) {
    // "gelu" in the first files means its tanh form, with which the models were trained.
    if (layer.mlp.activation == kernels::ActivationKind::kGelu) {
      layer.mlp.activation = kernels::ActivationKind::kGeluTanh;
    }
  }
  return model;
}

}  // namespace

extern const Family kGemma;
const Family kGemma = {
    .name = "gemma",
    .causal_class = "GemmaForCausalLM",
    .gguf_name = "gemma",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {1},
    .read = ReadGemma,
};

}  // namespace sglrun::model
