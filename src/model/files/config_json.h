// config.json and generation_config.json of a Hugging Face directory, in both spellings that
// transformers has used (rope_theta + rope_scaling, rope_parameters; text_config of multimodal
// models).
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/families/family.h"
#include "model/files/config.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

struct HfConfig {
  ModelSpec spec;
  const Family* family = nullptr;
  SpecialTokens tokens;
  GenerationDefaults defaults;
  bool nested = false;  // the text part of a multimodal model
};

// `generation` is null when there is no generation_config.json. `directory` names the model in
// errors.
Result<HfConfig> ParseHfConfig(const Json& config, const Json* generation,
                               const std::string& directory);

}  // namespace sglrun::model
