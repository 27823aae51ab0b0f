// What every configuration must satisfy, whichever file it comes from, before memory is sized by
// it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/config.h"

namespace sglrun::model {

// Of a model's context. Positions and lengths are int32.
inline constexpr std::int64_t kMostContext = 1 << 30;

// `place` begins the sentence: "model/config.json".
Status CheckModelConfig(const ModelConfig& config, const std::string& place);

}  // namespace sglrun::model
