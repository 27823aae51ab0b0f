// `messages` in a record (an extension of GenerateReqInput): a conversation in place of a prompt.
// A callback turns it into token ids, because io/ knows neither templates nor tokenizers.
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
  // Only for this record: a template, or the name of one of the model's templates.
  std::optional<std::string> chat_template = {};
  // Advice for models without a template: "send .. instead of `messages`".
  std::string_view without_template = "send `text` instead of `messages`";
};

// How a model writes tool calls, according to its chat template.
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
// are also allowed inside chat_template_kwargs, but not in both places.
Result<ChatRecord, RecordError> TakeChat(Json& object);

// Checks what is in the messages, tools and documents, and brings messages and tools into the form
// that chat templates were written for; see io/chat_messages.h. A function without parameters gets
// null ones.
Result<void, RecordError> TidyChat(ChatRecord& chat);

// Replaces a conversation and enable_thinking (a template variable that hosted services accept as a
// field) by `input_ids`. Objects without messages are unchanged. `from_openai`: the record is an
// OpenAI line, and error messages use the names of that dialect.
Result<ToolCallForm, RecordError> ReplaceMessages(Json& object, const RenderChat& render,
                                                  bool from_openai,
                                                  std::vector<std::string>& warnings);

}  // namespace sglrun::io
