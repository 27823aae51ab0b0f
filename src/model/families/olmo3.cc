// OLMo 3: as OLMo 2, but three of four layers have a window, and only the fourth has scaled
// angles. GGUF files name olmo2.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadOlmo3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(
      keys,
      {.vocab_size = 50304, .rms_norm_eps = 1e-5f, .rope_theta = 5e5, .has_sliding_rope = true});
  ReadAttentionBias(keys, model);
  ReadWindows(keys, WindowKey(keys, 4096), 4, model);
  UseRopesByType(model);
  UseNormsAfter(model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps, .whole_row = true};
  }
  return model;
}

}  // namespace

extern const Family kOlmo3;
const Family kOlmo3 = {
    .name = "olmo3",
    .causal_class = "Olmo3ForCausalLM",
    .eos_token_ids = {50279},
    .read = ReadOlmo3,
};

}  // namespace sglrun::model
