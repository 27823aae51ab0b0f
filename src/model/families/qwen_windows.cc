#include "model/families/family.h"

namespace sglrun::model {
namespace {

// "full_attention" or "sliding_attention" for each layer.
void ReadLayerTypes(const Json& types, std::int64_t window, ConfigReader& reader,
                    ModelConfig& config) {
  if (!types.is_array() || types.as_array().size() != config.sliding_window.size()) {
    reader.Fail("layer_types must be a list of " + std::to_string(config.sliding_window.size()) +
                " names, one a layer");
    return;
  }
  for (std::size_t i = 0; i < config.sliding_window.size(); ++i) {
    const Json& type = types.as_array()[i];
    const bool sliding = type.is_string() && type.as_string() == "sliding_attention";
    if (!sliding && !(type.is_string() && type.as_string() == "full_attention")) {
      reader.Fail("layer_types names " + type.Excerpt() +
                  ", supported are full_attention and sliding_attention");
    }
    config.sliding_window[i] = sliding ? window : 0;
  }
}

}  // namespace

void ReadQwenWindows(ConfigReader& reader, ModelConfig& config) {
  const std::int64_t absent = reader.Has("sliding_window") ? 0 : 4096;
  const std::int64_t stated = reader.Int("sliding_window", absent);
  const std::int64_t window = reader.Bool("use_sliding_window", false) ? stated : 0;
  if (const Json* types = reader.Find("layer_types")) {
    ReadLayerTypes(*types, window, reader, config);
    return;
  }
  const std::int64_t first = reader.Int("max_window_layers", 28);
  for (std::size_t i = 0; i < config.sliding_window.size(); ++i) {
    config.sliding_window[i] = static_cast<std::int64_t>(i) >= first ? window : 0;
  }
}

}  // namespace sglrun::model
