// OLMo 2: norms after attention and after the MLP in place of those before them, and norms of all
// heads of a query and of a key as one row. A GGUF file of it that states a window is an OLMo 3.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadOlmo2(ConfigReader& keys) {
  const bool slides = keys.gguf() != nullptr && keys.gguf()->window > 0;
  ModelSpec model = ReadPlainDecoder(
      keys, {.vocab_size = 50304, .rms_norm_eps = 1e-5f, .has_sliding_rope = slides});
  ReadAttentionBias(keys, model);
  if (slides) ReadWindows(keys, 0, 4, model);
  UseRopesByType(model);
  UseNormsAfter(model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps, .whole_row = true};
  }
  return model;
}

}  // namespace

extern const Family kOlmo2;
const Family kOlmo2 = {
    .name = "olmo2",
    .causal_class = "Olmo2ForCausalLM",
    .gguf_name = "olmo2",
    .eos_token_ids = {50279},
    .read = ReadOlmo2,
};

}  // namespace sglrun::model
