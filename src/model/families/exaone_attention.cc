#include "model/families/exaone_attention.h"

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

}  // namespace

void UseExaoneAttention(ConfigReader& keys, ModelSpec& model) {
  ReadWindows(keys, WindowKey(keys, 4096), ReadPeriod(keys), model);
  bool slides = false;
  for (const LayerSpec& layer : model.layers) slides = slides || layer.mixer.window > 0;
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps};
    if (slides && layer.mixer.window == 0) layer.mixer.rope = std::nullopt;
  }
}

}  // namespace sglrun::model
