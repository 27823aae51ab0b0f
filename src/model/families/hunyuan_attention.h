// Attention of the Hunyuan families.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Norms of each query and key head after the rope, and biases where attention_bias says so.
void UseHunyuanAttention(ConfigReader& keys, ModelSpec& model);

}  // namespace sglrun::model
