// Logprobs in the two shapes of the OpenAI dialect. The texts of the tokens are their bytes
// (GenerateRequest::token_bytes_in_logprobs), which may begin or end inside a character. A token
// that is not allowed has the logprob -9999, the lowest value that clients expect.
#pragma once

#include <string_view>

#include "base/json.h"
#include "request/generate_result.h"

namespace sglrun::io::openai {

// {"content": [{"token", "bytes", "logprob", "top_logprobs": [..]}], "refusal": null}
void WriteChatLogprobs(JsonWriter& w, const LogprobResult& logprobs);

// {"text_offset", "token_logprobs", "tokens", "top_logprobs"}, starting with the prompt if it was
// requested. `text` is the text of the choice. An offset is the number of characters before the one
// in which the token begins: tokens that share a character have the same offset, and tokens that
// are not in the text (special tokens, the stop token) have the offset of the following text.
void WriteCompletionLogprobs(JsonWriter& w, const LogprobResult& logprobs, std::string_view text);

}  // namespace sglrun::io::openai
