// EXAONE 4: norms after both branches in place of those before them, and of each query and key head.
// Where there is a window, every fourth layer has none, and no rope either.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

// The first files spell it as letters, "LLLG": the layers up to one without a window.
std::int64_t ReadPeriod(ConfigReader& keys) {
  const Json* pattern = keys.Find("sliding_window_pattern");
  if (pattern == nullptr || !pattern->is_string()) return keys.Int("sliding_window_pattern", 4);
  const std::string& letters = pattern->as_string();
  if (letters.empty() || letters.find('G') + 1 != letters.size()) {
    keys.Fail("sliding_window_pattern is \"" + letters +
              "\", which is not supported; supported are L "
              "for layers with a window and a last G");
  }
  return static_cast<std::int64_t>(letters.size());
}

ModelSpec ReadExaone4(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 16384,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 102400,
                                            .rms_norm_eps = 1e-5f});
  ReadWindows(keys, WindowKey(keys, 4096), ReadPeriod(keys), model);
  UseNormsAfter(model);
  bool slides = false;
  for (const LayerSpec& layer : model.layers) slides = slides || layer.mixer.window > 0;
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps};
    if (slides && layer.mixer.window == 0) layer.mixer.rope = std::nullopt;
  }
  return model;
}

}  // namespace

extern const Family kExaone4;
const Family kExaone4 = {
    .name = "exaone4",
    .causal_class = "Exaone4ForCausalLM",
    .gguf_name = "exaone4",
    .bos_token_id = 0,
    .eos_token_ids = {2},
    .read = ReadExaone4,
};

}  // namespace sglrun::model
