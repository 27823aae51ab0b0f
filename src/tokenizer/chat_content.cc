#include "tokenizer/chat_content.h"

#include <string>
#include <utility>

namespace sglrun::tokenizer {
namespace {

constexpr const char* kProbe = "probe 52 of content";

Json TextPart(std::string text) {
  return Json::Object{{"type", std::string("text")}, {"text", std::move(text)}};
}

// Whether the probe comes out as it would in a prompt: the words, and nothing of their wrapping.
bool Shows(const ChatTemplate& chat, Json content) {
  const Json message = Json::Object{{"role", std::string("user")}, {"content", std::move(content)}};
  const auto prompt = chat.Render({.messages = Json::Array{message}});
  if (!prompt.ok() || prompt->text.find(kProbe) == std::string::npos) return false;
  return prompt->text.find("'type'") == std::string::npos &&
         prompt->text.find("\"type\"") == std::string::npos;
}

std::string JoinedTexts(const Json& parts) {
  std::string joined;
  for (const Json& part : parts.as_array()) {
    const Json* const text = part.is_object() ? part.Find("text") : nullptr;
    if (text == nullptr || !text->is_string()) continue;
    if (&part != &parts.as_array().front()) joined += ' ';
    joined += text->as_string();
  }
  return joined;
}

}  // namespace

ContentShape ContentShapeOf(const ChatTemplate& chat) {
  if (!Shows(chat, Json::Array{TextPart(kProbe)})) return ContentShape::kText;
  return Shows(chat, std::string(kProbe)) ? ContentShape::kEither : ContentShape::kParts;
}

void FitContent(ContentShape shape, Json& messages) {
  for (Json& message : messages.as_array()) {
    if (!message.is_object()) continue;
    for (auto& [name, value] : message.as_object()) {
      if (name != "content") continue;
      if (value.is_array() && shape == ContentShape::kText) {
        value = JoinedTexts(value);
      } else if (value.is_string() && shape == ContentShape::kParts) {
        value = Json::Array{TextPart(std::move(value.as_string()))};
      }
    }
  }
}

}  // namespace sglrun::tokenizer
