// Calls of functions in the messages of a conversation.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io {

// `tool_calls` of a message: an array of {"type": "function", "function": {"name": "f",
// "arguments": ..}}, or of functions alone, as examples of transformers have it. Arguments are an
// object, or become the one that their JSON text spells. `path` is their place, for errors.
Result<void, RecordError> TidyCalls(Json& calls, const std::string& path);

}  // namespace sglrun::io
