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

// A GGUF file may list the layers that slide, or say how often one does not.
void TakeGgufPattern(const GgufStatements& gguf, std::int64_t window, std::int64_t period,
                     ConfigReader& keys, ModelSpec& model) {
  if (gguf.slides.empty()) {
    return SlideExceptEvery(gguf.window_period.value_or(period), window, model);
  }
  if (gguf.slides.size() != model.layers.size()) {
    keys.Fail("attention.sliding_window_pattern lists " + std::to_string(gguf.slides.size()) +
              " layers of " + std::to_string(model.layers.size()));
    return;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    model.layers[i].mixer.window = gguf.slides[i] ? window : 0;
  }
}

}  // namespace

void SlideExceptEvery(std::int64_t period, std::int64_t window, ModelSpec& model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const bool is_full = period > 0 && (static_cast<std::int64_t>(i) + 1) % period == 0;
    model.layers[i].mixer.window = is_full ? 0 : window;
  }
}

void ReadWindows(ConfigReader& keys, std::int64_t window, std::int64_t period, ModelSpec& model) {
  if (keys.gguf() != nullptr) {
    return TakeGgufPattern(*keys.gguf(), keys.gguf()->window, period, keys, model);
  }
  if (const Json* types = keys.Find("layer_types")) {
    return ReadLayerTypes(*types, window, keys, model);
  }
  SlideExceptEvery(period, window, model);
}

std::int64_t WindowKey(ConfigReader& keys, std::int64_t absent) {
  return keys.Int("sliding_window", keys.Has("sliding_window") ? 0 : absent);
}

void ReadQwenWindows(ConfigReader& keys, ModelSpec& model) {
  if (keys.gguf() != nullptr) return;
  const std::int64_t stated = WindowKey(keys, 4096);
  ReadLaterWindows(keys, keys.Bool("use_sliding_window", false) ? stated : 0, 28, model);
}

void ReadLaterWindows(ConfigReader& keys, std::int64_t window, std::int64_t first,
                      ModelSpec& model) {
  if (keys.gguf() != nullptr) return;
  if (const Json* types = keys.Find("layer_types")) {
    return ReadLayerTypes(*types, window, keys, model);
  }
  first = keys.Int("max_window_layers", first);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    model.layers[i].mixer.window = static_cast<std::int64_t>(i) >= first ? window : 0;
  }
}

void UseRopesByType(ModelSpec& model) {
  if (model.ropes.size() != 2) return;
  bool slides = false;
  for (const LayerSpec& layer : model.layers) slides = slides || layer.mixer.window > 0;
  if (!slides || model.ropes[0] == model.ropes[1]) {
    model.ropes.resize(1);
    return;
  }
  for (LayerSpec& layer : model.layers) layer.mixer.rope = layer.mixer.window > 0 ? 1 : 0;
}

}  // namespace sglrun::model
