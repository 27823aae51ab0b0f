// The factors of the Granite families.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Factors of the embedding, of both branches of a layer, of the scores of attention (in place of
// 1 / sqrt(head_dim)) and of the logits (which divides).
void UseGraniteFactors(ConfigReader& keys, ModelSpec& model);

}  // namespace sglrun::model
