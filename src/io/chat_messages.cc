#include "io/chat_messages.h"

#include <string>
#include <string_view>
#include <utility>

#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using request::ElementPath;
using Outcome = Result<void, RecordError>;

Json* FindMember(Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (auto& [key, value] : object.as_object()) {
    if (key == name) return &value;
  }
  return nullptr;
}

Json TextPart(std::string text) {
  return Json::Object{{"type", std::string("text")}, {"text", std::move(text)}};
}

// A string, {"type": "text", "text": ".."}, or a refusal, which reads as its text.
Outcome TidyPart(Json& part, const std::string& path) {
  if (part.is_string()) {
    part = TextPart(std::move(part.as_string()));
    return {};
  }
  Json* const type = FindMember(part, "type");
  if (type == nullptr || !type->is_string()) {
    return BadValue(path, part.Excerpt(), R"(a part like {"type": "text", "text": ".."})");
  }
  const std::string kind = type->as_string();
  const bool refusal = kind == "refusal";
  if (kind != "text" && kind != "input_text" && !refusal) {
    return RecordError{
        path + " is a part of type " + Json(kind).Excerpt() + ": this release takes text only",
        path};
  }
  Json* const text = FindMember(part, refusal ? "refusal" : "text");
  if (text == nullptr || !text->is_string()) {
    return BadValue(path + (refusal ? ".refusal" : ".text"),
                    text == nullptr ? "missing" : text->Excerpt(), "a string");
  }
  if (kind != "text") part = TextPart(std::move(text->as_string()));
  return {};
}

Outcome TidyContent(Json& content, const std::string& path) {
  if (content.is_null()) content = std::string();
  if (!content.is_array()) return {};
  std::size_t index = 0;
  for (Json& part : content.as_array()) {
    SGLRUN_RETURN_IF_ERROR(TidyPart(part, ElementPath(path, index++)));
  }
  return {};
}

Outcome TidyCalls(Json& calls, const std::string& path) {
  if (!calls.is_array()) return {};
  std::size_t index = 0;
  for (Json& call : calls.as_array()) {
    const std::string place = ElementPath(path, index++) + ".function.arguments";
    Json* const function = FindMember(call, "function");
    Json* const arguments = function == nullptr ? nullptr : FindMember(*function, "arguments");
    if (arguments == nullptr || !arguments->is_string()) continue;
    // Calls of functions without parameters come with no text at all.
    const std::string& text = arguments->as_string();
    auto parsed = ParseJson(text.empty() ? "{}" : std::string_view(text));
    if (!parsed.ok() || !parsed->value.is_object()) {
      return BadValue(place, arguments->Excerpt(), "the JSON text of an object");
    }
    *arguments = std::move(parsed->value);
  }
  return {};
}

}  // namespace

Outcome TidyMessages(Json& messages) {
  if (!messages.is_array()) return {};
  std::size_t index = 0;
  for (Json& message : messages.as_array()) {
    const std::string path = ElementPath("messages", index++);
    if (!message.is_object()) continue;
    std::erase_if(message.as_object(), [](const Json::Member& member) {
      return member.first != "content" && member.second.is_null();
    });
    for (auto& [name, value] : message.as_object()) {
      if (name == "content") SGLRUN_RETURN_IF_ERROR(TidyContent(value, path + ".content"));
      if (name == "tool_calls") SGLRUN_RETURN_IF_ERROR(TidyCalls(value, path + ".tool_calls"));
    }
  }
  return {};
}

}  // namespace sglrun::io
