// Parses the JSON files of a tokenizer, with uniform error messages.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::tokenizer {

// `name` is used in errors. Repeated keys are refused, because either could be meant.
Result<Json> ReadJson(std::string_view text, const std::string& name);

}  // namespace sglrun::tokenizer
