// Logprobs in the two shapes of the OpenAI dialect. The texts of the tokens are their bytes
// (GenerateRequest::token_bytes_in_logprobs), which may begin or end inside a character. A token
// that cannot come has the logprob -9999, the lowest that clients of the dialect expect.
#pragma once

#include <string_view>

#include "base/json.h"
#include "request/generate_result.h"

namespace sglrun::io::openai {

// {"content": [{"token", "bytes", "logprob", "top_logprobs": [..]}], "refusal": null}
void WriteChatLogprobs(JsonWriter& w, const LogprobResult& logprobs);

// {"text_offset", "token_logprobs", "tokens", "top_logprobs"}, the prompt's first where it was
// asked for. `text` is that of the choice. An offset counts the characters of it before the one in
// which the token begins: tokens that share a character have one offset, and tokens that are not in
// the text (special ones, the stop token) that of what follows.
void WriteCompletionLogprobs(JsonWriter& w, const LogprobResult& logprobs, std::string_view text);

}  // namespace sglrun::io::openai
