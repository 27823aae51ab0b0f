// Command R7B and Command A: as Command R, but three of four layers have a window, and the fourth
// has no rope.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadCohere2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 8192,
                                            .intermediate_size = 22528,
                                            .num_hidden_layers = 40,
                                            .num_attention_heads = 64,
                                            .vocab_size = 256000,
                                            .max_position_embeddings = 8192,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .tie_word_embeddings = true});
  ReadAttentionBias(keys, model);
  ReadWindows(keys, WindowKey(keys, 4096), keys.Int("sliding_window_pattern", 4), model);
  UseLayerNorms(false, model);
  UseParallelBranches(model);
  model.logit_scale = ReadLogitScale(keys, 0.0625);
  for (LayerSpec& layer : model.layers) {
    if (layer.mixer.window == 0) layer.mixer.rope = std::nullopt;
  }
  return model;
}

}  // namespace

extern const Family kCohere2;
const Family kCohere2 = {
    .name = "cohere2",
    .causal_class = "Cohere2ForCausalLM",
    .gguf_name = "cohere2",
    .rotates_pairs = true,
    .bos_token_id = 5,
    .eos_token_ids = {255001},
    .read = ReadCohere2,
};

}  // namespace sglrun::model
