// Attention of the EXAONE families.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Norms of each query and key head, and a window in all layers but every fourth, or as the keys
// state. Where any layer has a window, those without one have no rope. For a model that has layers.
void UseExaoneAttention(ConfigReader& keys, ModelSpec& model);

}  // namespace sglrun::model
