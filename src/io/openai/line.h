// A line of a batch file in the OpenAI dialect: its envelope, then its body.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/openai/body.h"
#include "io/openai/reply.h"

namespace sglrun::io::openai {

// Whether an object can only be such a line.
bool LooksLikeLine(const Json& object);

// The equivalent GenerateReqInput, and the data for its row. `line` is an object. In case of an
// error, `reply` contains what could be read.
Result<Json, RecordError> ReadLine(Json line, const BodyOptions& options, Reply& reply,
                                   std::vector<std::string>& warnings);

}  // namespace sglrun::io::openai
