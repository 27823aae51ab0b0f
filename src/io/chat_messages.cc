#include "io/chat_messages.h"

#include <string>
#include <string_view>
#include <utility>

#include "io/chat_calls.h"
#include "io/members.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using request::ElementPath;
using Outcome = Result<void, RecordError>;

constexpr std::string_view kContentForm = "a text or an array of text parts";
constexpr std::string_view kReasoningNames[] = {"reasoning_content", "thinking", "reasoning"};

Json TextPart(std::string text) {
  return Json::Object{{"type", std::string("text")}, {"text", std::move(text)}};
}

// A string, {"type": "text", "text": ".."}, or a refusal, which reads as its text.
Outcome TidyPart(Json& part, const std::string& path) {
  if (part.is_string()) {
    SGLRUN_RETURN_IF_ERROR(request::CheckString(part, path));
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
  const std::string place = path + (refusal ? ".refusal" : ".text");
  if (text == nullptr) return BadValue(place, "missing", "a string");
  SGLRUN_RETURN_IF_ERROR(request::CheckString(*text, place));
  if (kind != "text") part = TextPart(std::move(text->as_string()));
  return {};
}

Outcome TidyParts(Json& content, const std::string& path) {
  std::size_t index = 0;
  for (Json& part : content.as_array()) {
    SGLRUN_RETURN_IF_ERROR(TidyPart(part, ElementPath(path, index++)));
  }
  return {};
}

// Whether a message says something without a content: it called functions, it thought, or it lists
// the tools of those families that have a message for them.
bool SaysMore(const Json& message) {
  for (const std::string_view name :
       {"tool_calls", "tools", "reasoning_content", "thinking", "reasoning"}) {
    const Json* const value = message.Find(name);
    if (value == nullptr) continue;
    if (value->is_array() ? !value->as_array().empty() : true) return true;
  }
  return false;
}

Outcome TidyContent(Json& message, const std::string& message_path) {
  const std::string path = message_path + ".content";
  Json* const content = FindMember(message, "content");
  if (content != nullptr && content->is_string()) return request::CheckString(*content, path);
  const bool empty = content == nullptr || content->is_null() ||
                     (content->is_array() && content->as_array().empty());
  if (!empty && !content->is_array()) return BadValue(path, content->Excerpt(), kContentForm);
  if (!empty) return TidyParts(*content, path);
  const Json* const refusal = message.Find("refusal");
  const bool refused = refusal != nullptr && refusal->is_string();
  if (!refused && !SaysMore(message)) {
    return BadValue(path, content == nullptr ? "missing" : content->Excerpt(), kContentForm);
  }
  Json text = refused ? Json(refusal->as_string()) : Json(std::string());
  if (content != nullptr) {
    *content = std::move(text);
  } else {
    message.as_object().emplace_back("content", std::move(text));
  }
  return {};
}

Outcome CheckRole(const Json& message, const std::string& message_path) {
  const std::string path = message_path + ".role";
  const Json* const role = message.Find("role");
  const std::string expected = R"(a word like "user", "assistant" or "system")";
  if (role == nullptr) return BadValue(path, "missing", expected);
  if (!role->is_string() || role->as_string().empty()) {
    return BadValue(path, role->Excerpt(), expected);
  }
  return request::CheckString(*role, path);
}

// Members that are texts where they are given at all.
Outcome CheckTexts(const Json& message, const std::string& path) {
  for (const std::string_view name :
       {"name", "tool_call_id", "reasoning_content", "thinking", "reasoning", "refusal"}) {
    const Json* const value = message.Find(name);
    if (value != nullptr) {
      SGLRUN_RETURN_IF_ERROR(request::CheckString(*value, path + "." + std::string(name)));
    }
  }
  // A conversation of the time before tools. No template shows it, so that the turn would be lost.
  if (message.Find("function_call") == nullptr) return {};
  return RecordError{
      path +
          ".function_call is the old form of tool_calls, which chat templates do not show: send "
          "tool_calls",
      path + ".function_call"};
}

void SpreadReasoning(Json& message) {
  const Json* reasoning = nullptr;
  for (const std::string_view name : kReasoningNames) {
    if (reasoning == nullptr) reasoning = message.Find(name);
  }
  if (reasoning == nullptr) return;
  const Json text = *reasoning;
  for (const std::string_view name : {"reasoning_content", "thinking"}) {
    if (message.Find(name) == nullptr) message.as_object().emplace_back(std::string(name), text);
  }
}

Outcome TidyMessage(Json& message, const std::string& path) {
  if (!message.is_object()) {
    return BadValue(path, message.Excerpt(), R"(an object like {"role": "user", "content": ".."})");
  }
  std::erase_if(message.as_object(), [](const Json::Member& member) {
    return member.second.is_null() && member.first != "content";
  });
  SGLRUN_RETURN_IF_ERROR(CheckRole(message, path));
  SGLRUN_RETURN_IF_ERROR(CheckTexts(message, path));
  if (Json* const calls = FindMember(message, "tool_calls")) {
    SGLRUN_RETURN_IF_ERROR(TidyCalls(*calls, path + ".tool_calls"));
  }
  SGLRUN_RETURN_IF_ERROR(TidyContent(message, path));
  SpreadReasoning(message);
  return {};
}

}  // namespace

Outcome TidyMessages(Json& messages) {
  if (!messages.is_array()) {
    return BadValue("messages", messages.KindName(),
                    R"(an array of objects like {"role": "user", "content": ".."})");
  }
  if (messages.as_array().empty()) return BadValue("messages", "[]", "at least one message");
  std::size_t index = 0;
  for (Json& message : messages.as_array()) {
    SGLRUN_RETURN_IF_ERROR(TidyMessage(message, ElementPath("messages", index++)));
  }
  return {};
}

}  // namespace sglrun::io
