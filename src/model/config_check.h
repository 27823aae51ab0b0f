// What every configuration must satisfy, whichever file it comes from, before memory is sized by
// it.
#pragma once

#include <string>

#include "base/result.h"
#include "model/config.h"

namespace sglrun::model {

// `place` begins the sentence: "model/config.json".
Status CheckModelConfig(const ModelConfig& config, const std::string& place);

}  // namespace sglrun::model
