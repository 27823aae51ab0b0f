// What Gemma 2 and VaultGemma have in common.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Soft caps of scores and logits, every other layer with a window, and norms before both branches.
ModelSpec ReadGemma2Decoder(ConfigReader& keys);

}  // namespace sglrun::model
