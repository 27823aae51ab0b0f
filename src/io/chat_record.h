// `messages` in a record (an extension of GenerateReqInput): a conversation in place of a prompt.
// Who knows the model's chat template turns it into token ids; this room knows neither.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io {

struct ChatRecord {
  Json messages;
  Json tools;                   // an array, or null
  Json documents;               // an array, or null
  Json::Object variables = {};  // chat_template_kwargs
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  // Of this record alone: a template, or the name of one of the model's several.
  std::optional<std::string> chat_template = {};
  // What can be sent where the model has no template: "send .. instead of `messages`".
  std::string_view without_template = "send `text` instead of `messages`";
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

// Takes the members that belong to a conversation out of an object: messages, tools, documents,
// chat_template_kwargs, chat_template, add_generation_prompt and continue_final_message. The flags
// may stand inside chat_template_kwargs, too, but not in both places.
Result<ChatRecord, RecordError> TakeChat(Json& object);

// Checks what is in the messages, tools and documents, and brings messages and tools into the form
// that chat templates were written for; see io/chat_messages.h. A function without parameters gets
// null ones.
Result<void, RecordError> TidyChat(ChatRecord& chat);

// Puts `input_ids` in the place of a conversation and of enable_thinking, a variable of templates
// that hosted services take as a field. Objects without messages stay as they are.
// `from_openai`: the record was written in that dialect, and so is advice.
Result<ToolCallForm, RecordError> ReplaceMessages(Json& object, const RenderChat& render,
                                                  bool from_openai,
                                                  std::vector<std::string>& warnings);

}  // namespace sglrun::io
