// `messages` in a record (an extension of GenerateReqInput): a conversation in place of a prompt.
// Who knows the model's chat template turns it into token ids; this room knows neither.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

// How a model writes calls of functions, as far as its chat template tells.
enum class ToolCallForm : std::uint8_t {
  kNone,    // none that is known
  kTagged,  // <tool_call>{"name": .., "arguments": ..}</tool_call> (Hermes, Qwen)
  kBare,    // {"name": .., "parameters": ..} and nothing else (Llama 3)
  kListed,  // [TOOL_CALLS][{"name": .., "arguments": ..}] (Mistral), a special token
};

struct ChatPromptIds {
  std::vector<std::int32_t> ids;
  ToolCallForm tool_calls = ToolCallForm::kNone;
  std::vector<std::string> warnings = {};
};

using RenderChat = std::function<Result<ChatPromptIds, RecordError>(ChatRecord chat)>;

// Puts `input_ids` in the place of `messages`, `tools`, `documents` and `chat_template_kwargs`.
// Objects without messages stay as they are.
Result<ToolCallForm, RecordError> ReplaceMessages(Json& object, const RenderChat& render,
                                                  std::vector<std::string>& warnings);

}  // namespace sglrun::io
