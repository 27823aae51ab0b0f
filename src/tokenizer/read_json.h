// JSON files of this room, parsed with one way to refuse.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::tokenizer {

// `name` stands in the error. Repeated keys are refused: which one counts would be a guess.
Result<Json> ReadJson(std::string_view text, const std::string& name);

}  // namespace sglrun::tokenizer
