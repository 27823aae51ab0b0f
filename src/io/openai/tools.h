// `tools` and `tool_choice` of an OpenAI chat: the tools for the template, the constraint of the
// answer, and how calls are recognised.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "io/openai/reply.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

struct ToolRequest {
  Json shown;                  // the tools for the template, null for none
  std::optional<Json> schema;  // for the calls, if a call is required
};

// `tools`, `choice` and `parallel` as the body states them, null when it does not. Fills the parts
// of `reply` that control how calls are recognised.
Result<ToolRequest, RecordError> ReadTools(Json tools, const Json& choice, const Json& parallel,
                                           Reply& reply);

// Applies the call format of the chat template. `record` is the GenerateReqInput of the line: if
// calls begin with a special token, the text must contain special tokens, unless the line says
// otherwise.
void ExpectToolCalls(ToolCallForm form, Reply& reply, Json& record);

}  // namespace sglrun::io::openai
