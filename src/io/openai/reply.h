// The response to an OpenAI line: the parts of the request that the row repeats, and how results
// are written into the body.
//
//   {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {...}}
//   {"id": .., "custom_id": "a", "response": {"status_code": 200, "request_id": ..,
//    "body": {"object": "chat.completion", "choices": [..], "usage": {..}}}, "error": null}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/chat_record.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

enum class Endpoint : std::uint8_t { kChat, kCompletions };

// The format of tool calls in a text.
enum class CallSyntax : std::uint8_t {
  kNone,      // nothing is looked for
  kTemplate,  // as the chat template describes it; see ToolCallForm
  kForced,    // a JSON array enforced by a constraint (tool_choice)
};

struct Reply {
  std::optional<std::string> custom_id = {};  // absent if the line has no usable one
  Endpoint endpoint = Endpoint::kChat;
  std::string model = {};
  std::size_t samples = 1;  // choices of each prompt

  bool logprobs = false;
  std::int64_t top_logprobs = 0;
  bool token_ids = false;         // return_token_ids
  bool prompt_token_ids = false;  // return_prompt_token_ids

  // echo: the texts of the prompts, put before those of their choices.
  std::vector<std::string> echoed = {};

  CallSyntax calls = CallSyntax::kNone;
  ToolCallForm form = ToolCallForm::kNone;  // of kTemplate
  bool one_named_tool = false;              // tool_choice names it: the answer ends with "stop"
  std::vector<std::string> tools = {};      // names of the functions that may be called

  // The origin of a value in the line, by its path in the converted request:
  // {"sampling_params.max_new_tokens", "max_tokens"}.
  std::vector<std::pair<std::string, std::string>> origins = {};
};

// An error about a request, with the field names of the original line.
RecordError InWordsOf(const Reply& reply, RecordError error);
// The same for a sentence.
std::string InWordsOf(const Reply& reply, std::string sentence);

}  // namespace sglrun::io::openai
