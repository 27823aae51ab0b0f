#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

// "full_attention" or "sliding_attention" for each layer.
void ReadLayerTypes(const Json& types, std::int64_t window, ConfigReader& keys, ModelSpec& model) {
  if (!types.is_array() || types.as_array().size() != model.layers.size()) {
    keys.Fail("layer_types must be a list of " + std::to_string(model.layers.size()) +
              " names, one a layer");
    return;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Json& type = types.as_array()[i];
    const bool sliding = type.is_string() && type.as_string() == "sliding_attention";
    if (!sliding && !(type.is_string() && type.as_string() == "full_attention")) {
      keys.Fail("layer_types names " + type.Excerpt() +
                ", supported are full_attention and sliding_attention");
    }
    model.layers[i].mixer.window = sliding ? window : 0;
  }
}

}  // namespace

void ReadQwenWindows(ConfigReader& keys, ModelSpec& model) {
  if (keys.gguf() != nullptr) return;
  const std::int64_t absent = keys.Has("sliding_window") ? 0 : 4096;
  const std::int64_t stated = keys.Int("sliding_window", absent);
  const std::int64_t window = keys.Bool("use_sliding_window", false) ? stated : 0;
  if (const Json* types = keys.Find("layer_types")) {
    ReadLayerTypes(*types, window, keys, model);
    return;
  }
  const std::int64_t first = keys.Int("max_window_layers", 28);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    model.layers[i].mixer.window = static_cast<std::int64_t>(i) >= first ? window : 0;
  }
}

}  // namespace sglrun::model
