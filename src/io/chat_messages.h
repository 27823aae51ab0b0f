// The messages of a conversation as clients of chat APIs send them, checked and made into what chat
// templates were written for. Together with chat_template/chat_content.h this is what `batch` and
// `template --served` make of messages before the template sees them.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io {

// Checked, each fault with its path: an array of objects that is not empty, each with a role (any
// word that the template knows) and a content: a text, or an array of parts, of which those that
// are no text are refused by name. Only a message that says something else (calls of functions,
// reasoning, tools) may go without a content.
//
// Changed, as SGLang, vLLM and transformers do:
// * Members that are null are left out; a content that is missing is an empty text, or the refusal.
// * Parts become {"type": "text", "text": ".."}, a refusal reads as its text.
// * The arguments of calls become the objects that their JSON texts spell, which templates print.
// * Reasoning is found under each of its names: reasoning_content, reasoning, thinking.
Result<void, RecordError> TidyMessages(Json& messages);

}  // namespace sglrun::io
