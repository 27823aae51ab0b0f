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

// The GenerateReqInput that asks for the same, and what its row shows. `line` is an object. What
// could be read of the reply is there in the case of an error, too.
Result<Json, RecordError> ReadLine(Json line, const BodyOptions& options, Reply& reply,
                                   std::vector<std::string>& warnings);

}  // namespace sglrun::io::openai
