// In which of its two shapes a chat template takes the content of a message: a text, or an array of
// parts like {"type": "text", "text": ".."}. Clients send either; a template that was written for
// one prints the other as Python would print it, or nothing.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "tokenizer/chat_template.h"

namespace sglrun::tokenizer {

enum class ContentShape : std::uint8_t { kText, kParts, kEither };

// Found out by rendering a message in both shapes.
ContentShape ContentShapeOf(const ChatTemplate& chat);

// Brings contents into the shape: the texts of parts are joined with a space, as SGLang joins them;
// a text becomes an array of one part. `messages` is an array of objects whose parts are texts.
void FitContent(ContentShape shape, Json& messages);

}  // namespace sglrun::tokenizer
