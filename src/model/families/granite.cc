// Granite 3: the plain decoder with factors of the embedding, of both branches of a layer, of the
// scores of attention and of the logits. The factor of attention replaces 1 / sqrt(head_dim), that
// of the logits divides.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGranite(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
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
  return model;
}

}  // namespace

extern const Family kGranite;
const Family kGranite = {
    .name = "granite",
    .causal_class = "GraniteForCausalLM",
    .gguf_name = "granite",
    .gguf_interleaves_rope = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadGranite,
};

}  // namespace sglrun::model
