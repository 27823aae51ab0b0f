// Command R: layer norms without bias, one for both branches, which read the same; it rotates
// adjacent pairs and scales the logits.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadCohere(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 8192,
                                            .intermediate_size = 22528,
                                            .num_hidden_layers = 40,
                                            .num_attention_heads = 64,
                                            .vocab_size = 256000,
                                            .max_position_embeddings = 8192,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .tie_word_embeddings = true,
                                            .rope_theta = 5e5});
  ReadAttentionBias(keys, model);
  RefuseTrue(keys, "use_qk_norm");
  UseLayerNorms(false, model);
  UseParallelBranches(model);
  model.logit_scale = ReadLogitScale(keys, 0.0625);
  return model;
}

}  // namespace

extern const Family kCohere;
const Family kCohere = {
    .name = "cohere",
    .causal_class = "CohereForCausalLM",
    .gguf_name = "command-r",
    .rotates_pairs = true,
    .bos_token_id = 5,
    .eos_token_ids = {255001},
    .read = ReadCohere,
};

}  // namespace sglrun::model
