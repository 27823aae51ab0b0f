// OLMo 2: norms after attention and after the MLP in place of those before them, and norms of all
// heads of a query and of a key as one row.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadOlmo2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.vocab_size = 50304, .rms_norm_eps = 1e-5f});
  ReadAttentionBias(keys, model);
  const float eps = model.final_norm.eps;
  for (LayerSpec& layer : model.layers) {
    layer.before_mixer = layer.before_mlp = {};
    layer.after_mixer = NormSpec{"post_attention_layernorm", "post_attention_norm", eps};
    layer.after_mlp = NormSpec{"post_feedforward_layernorm", "post_ffw_norm", eps};
    layer.mixer.head_norm = {.eps = eps, .whole_row = true};
  }
  return model;
}

}  // namespace

extern const Family kOlmo2;
const Family kOlmo2 = {
    .name = "olmo2",
    .causal_class = "Olmo2ForCausalLM",
    .gguf_name = "olmo2",
    .eos_token_id = 50279,
    .read = ReadOlmo2,
};

}  // namespace sglrun::model
