// The frame of `tokenize` and `detokenize`: one JSON value a line in, one a line out. A bad line
// gives an error row and the rest goes on.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::cli {

// Appends the answer to one value.
using LineAnswer = std::function<Result<void, RecordError>(const Json& line, JsonWriter& out)>;

// `input`: a file or "-". Gives the exit code.
Result<int> FilterJsonLines(const std::string& input, const LineAnswer& answer);

}  // namespace sglrun::cli
