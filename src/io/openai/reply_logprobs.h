// Logprobs in the two shapes of the OpenAI dialect. The texts of the tokens are their bytes
// (GenerateRequest::token_bytes_in_logprobs), which may begin or end inside a character.
#pragma once

#include "base/json.h"
#include "request/generate_result.h"

namespace sglrun::io::openai {

// {"content": [{"token", "bytes", "logprob", "top_logprobs": [..]}], "refusal": null}
void WriteChatLogprobs(JsonWriter& w, const LogprobResult& logprobs);

// {"text_offset", "token_logprobs", "tokens", "top_logprobs"}, the prompt's first where it was
// asked for. Offsets count characters of the tokens from the first one here.
void WriteCompletionLogprobs(JsonWriter& w, const LogprobResult& logprobs);

}  // namespace sglrun::io::openai
