#include "chat_template/chat_content.h"

#include <utility>

#include "base/stop_flag.h"

namespace sglrun::chat_template {
namespace {

constexpr std::string_view kProbe = "probe 52 of content";

Json TextPart(std::string text) {
  return Json::Object{{"type", std::string("text")}, {"text", std::move(text)}};
}

Json InShape(ContentShape shape, std::string text) {
  if (shape != ContentShape::kParts) return text;
  return Json::Array{TextPart(std::move(text))};
}

Json Message(std::string_view role, Json content) {
  return Json::Object{{"role", std::string(role)}, {"content", std::move(content)}};
}

// The strictest templates accept only ids of nine letters and digits.
Json Call() {
  const Json function = Json::Object{{"name", std::string("look")}, {"arguments", Json::Object{}}};
  return Json::Object{{"role", std::string("assistant")},
                      {"content", std::string()},
                      {"tool_calls", Json::Array{Json::Object{{"id", std::string("call00001")},
                                                              {"type", std::string("function")},
                                                              {"function", function}}}}};
}

// A conversation in which a message of the role has this content; the other messages have the shape
// for user messages.
Json Conversation(const std::string& role, Json content, ContentShape others) {
  const Json user = Message("user", InShape(others, "a"));
  if (role == "user") return Json::Array{Message(role, std::move(content))};
  if (role == "assistant") return Json::Array{user, Message(role, std::move(content)), user};
  if (role != "tool") return Json::Array{Message(role, std::move(content)), user};
  Json result = Message(role, std::move(content));
  result.as_object().emplace_back("name", std::string("look"));
  result.as_object().emplace_back("tool_call_id", std::string("call00001"));
  return Json::Array{user, Call(), std::move(result)};
}

// Whether the probe is rendered correctly: its words appear, without the syntax of the content
// part.
bool Shows(const RenderAsIs& render, Json messages) {
  const std::optional<std::string> text = render(std::move(messages));
  const std::size_t at = text ? text->find(kProbe) : std::string::npos;
  if (at == std::string::npos) return false;
  const std::string_view before = std::string_view(*text).substr(0, at);
  return !before.ends_with("'text': '") && !before.ends_with(R"("text": ")") &&
         !before.ends_with(R"("text":")") && !before.ends_with(R"(\"text\": \")");
}

// Roles that only some families use are treated like user.
std::string KindOf(std::string_view role) {
  for (const std::string_view kind : {"system", "developer", "assistant", "tool"}) {
    if (role == kind) return std::string(kind);
  }
  return "user";
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

void FitOne(ContentShape shape, Json& content) {
  if (content.is_array() && shape == ContentShape::kText) {
    content = JoinedTexts(content);
  } else if (content.is_string() && shape == ContentShape::kParts) {
    content = Json::Array{TextPart(std::move(content.as_string()))};
  }
}

}  // namespace

ContentShape ContentShapes::Of(std::string_view role, const RenderAsIs& render) {
  const std::lock_guard lock(mutex_);
  return Find(KindOf(role), render);
}

ContentShape ContentShapes::Find(const std::string& kind, const RenderAsIs& render) {
  const auto known = found_.find(kind);
  if (known != found_.end()) return known->second;
  const ContentShape others = kind == "user" ? ContentShape::kText : Find("user", render);
  const auto shows = [&](ContentShape shape) {
    return Shows(render, Conversation(kind, InShape(shape, std::string(kProbe)), others));
  };
  ContentShape shape = ContentShape::kText;
  if (shows(ContentShape::kParts)) {
    shape = shows(ContentShape::kText) ? ContentShape::kEither : ContentShape::kParts;
  }
  // Results of interrupted probes are discarded.
  if (!StopFlag::requested()) found_.emplace(kind, shape);
  return shape;
}

void FitContent(ContentShapes& shapes, const RenderAsIs& render, Json& messages) {
  for (Json& message : messages.as_array()) {
    const Json* const role = message.Find("role");
    if (role == nullptr || !role->is_string()) continue;
    for (auto& [name, value] : message.as_object()) {
      if (name != "content" || !(value.is_array() || value.is_string())) continue;
      FitOne(shapes.Of(role->as_string(), render), value);
    }
  }
}

}  // namespace sglrun::chat_template
