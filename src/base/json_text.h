// JSON text that both dumps and JsonWriter write; for this room alone.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace sglrun {

// null where the value has no JSON form.
void AppendJsonNumber(std::string& out, double value);
// The inside of a string.
void AppendJsonEscaped(std::string& out, std::string_view text);
// Compact text, as of Dump().
void AppendJsonDump(std::string& out, const Json& value);

}  // namespace sglrun
