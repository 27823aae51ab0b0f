// Granite 4, the models of attention alone: as Granite 3 with one tensor for gate and up, and without
// a rope unless the configuration names one. GGUF files name granite.
#include "model/families/family.h"
#include "model/families/granite_factors.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

void RefuseOtherLayers(ConfigReader& keys) {
  if (const std::int64_t experts = keys.Int("num_local_experts", 8); experts > 0) {
    keys.Fail("num_local_experts is " + std::to_string(experts) +
              ": mixtures of experts are not supported");
  }
  const Json* types = keys.Find("layer_types");
  bool is_attention = types != nullptr && types->is_array();
  for (std::size_t i = 0; is_attention && i < types->as_array().size(); ++i) {
    const Json& type = types->as_array()[i];
    is_attention = type.is_string() &&
                   (type.as_string() == "attention" || type.as_string() == "full_attention");
  }
  if (!is_attention) {
    keys.Fail("layer_types " +
              (types == nullptr ? std::string("is absent") : "is " + types->Excerpt()) +
              ", supported are layers of attention alone");
  }
}

ModelSpec ReadGranite4(ConfigReader& keys) {
  RefuseOtherLayers(keys);
  ModelSpec model = ReadPlainDecoder(keys, {});
  ReadAttentionBias(keys, model);
  UseGraniteFactors(keys, model);
  const bool rotates = keys.String("position_embedding_type", "nope") == "rope";
  for (LayerSpec& layer : model.layers) {
    layer.mlp.inner = keys.Int("shared_intermediate_size", 1024);
    layer.mlp.fused = true;
    if (!rotates) layer.mixer.rope = std::nullopt;
  }
  if (!rotates) model.ropes.clear();
  return model;
}

}  // namespace

extern const Family kGranite4;
const Family kGranite4 = {
    .name = "granitemoehybrid",
    .causal_class = "GraniteMoeHybridForCausalLM",
    .tensor_names = {{"mlp.gate_up_proj", "shared_mlp.input_linear"},
                     {"mlp.down_proj", "shared_mlp.output_linear"}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadGranite4,
};

}  // namespace sglrun::model
