// `messages` in a record (an extension of GenerateReqInput): a conversation in place of a prompt.
// Who knows the model's chat template turns it into token ids; this room knows neither.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io {

struct ChatRecord {
  Json messages;
  Json tools;
  Json documents;
  Json::Object variables;  // chat_template_kwargs
};

using RenderChat =
    std::function<Result<std::vector<std::int32_t>, RecordError>(const ChatRecord& chat)>;

// Puts `input_ids` in the place of `messages`, `tools`, `documents` and `chat_template_kwargs`.
// Objects without messages stay as they are.
Result<void, RecordError> ReplaceMessages(Json& object, const RenderChat& render);

}  // namespace sglrun::io
