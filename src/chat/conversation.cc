#include "chat/conversation.h"

#include <algorithm>
#include <utility>

namespace sglrun::chat {
namespace {

constexpr std::string_view kSystem = "system";
constexpr std::string_view kUser = "user";
constexpr std::string_view kAssistant = "assistant";

Json MessageOf(std::string_view role, const std::string& text) {
  return Json::Object{{"role", std::string(role)}, {"content", text}};
}

// Contents written by other programs may consist of parts; only text parts can be shown.
Status CheckParts(const Json& parts, const std::string& path) {
  for (std::size_t i = 0; i < parts.as_array().size(); ++i) {
    const Json& part = parts.as_array()[i];
    const Json* type = part.Find("type");
    const Json* text = part.Find("text");
    const bool is_text = type != nullptr && type->is_string() && type->as_string() == "text";
    if (is_text && text != nullptr && text->is_string()) continue;
    return Error{path + "[" + std::to_string(i) + "] is " + part.Excerpt() +
                 ", must be {\"type\": \"text\", \"text\": ..}"};
  }
  return {};
}

Status CheckMessage(const Json& message, const std::string& path) {
  if (!message.is_object()) {
    return Error{path + " is " + message.KindName() + ", must be an object with role and content"};
  }
  const Json* role = message.Find("role");
  if (role == nullptr) return Error{path + " has no role"};
  if (!role->is_string() || role->as_string().empty()) {
    return Error{path + ".role is " + role->Excerpt() + ", must be a name such as \"user\""};
  }
  const Json* content = message.Find("content");
  const bool calls_tools = message.Find("tool_calls") != nullptr;
  if (content == nullptr || content->is_null()) {
    if (calls_tools) return {};
    return Error{path + " has no content"};
  }
  if (content->is_string()) return {};
  if (content->is_array()) return CheckParts(*content, path + ".content");
  return Error{path + ".content is " + content->KindName() + ", must be a string"};
}

}  // namespace

const std::string& ChatMessage::role() const {
  return json.Find("role")->as_string();
}

std::string ChatMessage::text() const {
  const Json* content = json.Find("content");
  if (content == nullptr) return "";
  if (content->is_string()) return content->as_string();
  std::string text;
  if (!content->is_array()) return text;
  for (const Json& part : content->as_array()) {
    const Json* piece = part.Find("text");
    if (piece != nullptr && piece->is_string()) text += piece->as_string();
  }
  return text;
}

bool Conversation::has_turns() const {
  return std::ranges::any_of(messages_,
                             [](const ChatMessage& message) { return message.role() != kSystem; });
}

bool Conversation::has_system() const {
  return std::ranges::any_of(messages_,
                             [](const ChatMessage& message) { return message.role() == kSystem; });
}

std::string Conversation::system() const {
  if (messages_.empty() || messages_[0].role() != kSystem) return "";
  return messages_[0].text();
}

void Conversation::SetSystem(const std::string& text) {
  if (!messages_.empty() && messages_[0].role() == kSystem) messages_.erase(messages_.begin());
  if (!text.empty()) messages_.insert(messages_.begin(), {MessageOf(kSystem, text), nullptr});
}

void Conversation::AddUser(const std::string& text) {
  messages_.push_back({MessageOf(kUser, text), nullptr});
}

void Conversation::AddAnswer(const std::string& text, std::shared_ptr<const Making> making) {
  messages_.push_back({MessageOf(kAssistant, text), std::move(making)});
}

bool Conversation::DropAnswer() {
  if (messages_.empty() || messages_.back().role() != kAssistant) return false;
  messages_.pop_back();
  return true;
}

std::optional<std::string> Conversation::Undo() {
  for (std::size_t i = messages_.size(); i-- > 0;) {
    if (messages_[i].role() != kUser) continue;
    std::string text = messages_[i].text();
    messages_.resize(i);
    return text;
  }
  return std::nullopt;
}

void Conversation::Clear() {
  const std::string text = system();
  messages_.clear();
  SetSystem(text);
}

Json Conversation::ToJson() const {
  Json::Array list;
  for (const ChatMessage& message : messages_) list.push_back(message.json);
  return list;
}

Result<Conversation> Conversation::FromJson(const Json& messages, const std::string& place) {
  if (!messages.is_array()) {
    return Error{place + ": messages is " + messages.KindName() + ", must be an array"};
  }
  Conversation conversation;
  for (const Json& message : messages.as_array()) {
    const std::string path =
        place + ": messages[" + std::to_string(conversation.messages_.size()) + "]";
    SGLRUN_RETURN_IF_ERROR(CheckMessage(message, path));
    conversation.messages_.push_back({message, nullptr});
  }
  return conversation;
}

void Conversation::SetMaking(std::size_t index, std::shared_ptr<const Making> making) {
  CHECK(index < messages_.size()) << index;
  messages_[index].making = std::move(making);
}

void Conversation::ForgetMakings() {
  for (ChatMessage& message : messages_) message.making = nullptr;
}

}  // namespace sglrun::chat
