// What every specification must satisfy, whichever file it comes from, before memory is sized by
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/spec/model_spec.h"

namespace sglrun::model {

// The longest context of a model. Positions and lengths are int32.
inline constexpr std::int64_t kMostContext = 1 << 30;
inline constexpr std::int64_t kMostLayers = 1 << 12;

// "hidden_size is 0, must be in [1, 1048576]"; nothing for numbers in the range.
std::optional<std::string> RangeFault(const std::string& key, std::int64_t value,
                                      std::int64_t limit);

// The first thing that cannot be, in a sentence without the file's name.
std::optional<std::string> FaultOf(const ModelSpec& spec);

}  // namespace sglrun::model
