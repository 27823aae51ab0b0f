// `tools` and `tool_choice` of an OpenAI chat: what the template shows, what the answer must be,
// and how calls are found in it.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "io/openai/reply.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

struct ToolRequest {
  Json shown;                  // the tools for the template, null for none
  std::optional<Json> schema;  // of the calls, when there must be some
};

// `tools`, `choice` and `parallel` as the body states them, null when it does not. Fills the parts
// of `reply` that tell how to look for calls.
Result<ToolRequest, RecordError> ReadTools(Json tools, const Json& choice, const Json& parallel,
                                           Reply& reply);

// What the chat template tells about calls. `record` is the GenerateReqInput of the line: where
// calls begin with a special token, the text has to show special tokens, unless the line says
// otherwise.
void ExpectToolCalls(ToolCallForm form, Reply& reply, Json& record);

}  // namespace sglrun::io::openai
