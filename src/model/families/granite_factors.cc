#include "model/families/granite_factors.h"

namespace sglrun::model {

void UseGraniteFactors(ConfigReader& keys, ModelSpec& model) {
  model.embedding_scale = static_cast<float>(keys.Float("embedding_multiplier", 1.0));
  model.logit_scale = static_cast<float>(1.0 / keys.Float("logits_scaling", 1.0));
  const auto residual = static_cast<float>(keys.Float("residual_multiplier", 1.0));
  const std::optional<double> attention = keys.OptionalFloat("attention_multiplier");
  for (LayerSpec& layer : model.layers) {
    layer.residual_scale = residual;
    // A GGUF file without the key has the usual scale, the configuration class has 1.
    const float absent = keys.gguf() != nullptr ? layer.mixer.scale : 1.0f;
    layer.mixer.scale = attention ? static_cast<float>(*attention) : absent;
  }
}

}  // namespace sglrun::model
