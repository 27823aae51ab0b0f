#include "io/chat_record.h"

#include <algorithm>
#include <string>

#include "io/chat_messages.h"

namespace sglrun::io {
namespace {

constexpr const char* kChatFields[] = {"messages", "tools", "documents", "chat_template_kwargs"};

// The member, taken out; null when it is not there.
Json Take(Json& object, std::string_view name) {
  Json::Object& members = object.as_object();
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const Json::Member& member) { return member.first == name; });
  if (it == members.end()) return {};
  Json value = std::move(it->second);
  members.erase(it);
  return value;
}

bool Given(const Json& object, std::string_view name) {
  const Json* value = object.Find(name);
  return value != nullptr && !value->is_null();
}

}  // namespace

Result<ToolCallForm, RecordError> ReplaceMessages(Json& object, const RenderChat& render,
                                                  std::vector<std::string>& warnings) {
  if (!Given(object, "messages")) {
    for (const std::string name : kChatFields) {
      if (Given(object, name)) return RecordError{name + " is given without messages", name};
      Take(object, name);
    }
    return ToolCallForm::kNone;
  }
  for (const std::string name : {"text", "input_ids", "input_embeds"}) {
    if (Given(object, name)) {
      return RecordError{"messages and " + name + " are both given, one must be", "messages"};
    }
    Take(object, name);
  }
  ChatRecord chat;
  chat.messages = Take(object, "messages");
  chat.tools = Take(object, "tools");
  chat.documents = Take(object, "documents");
  Json variables = Take(object, "chat_template_kwargs");
  if (!variables.is_null() && !variables.is_object()) {
    return RecordError{
        std::string("chat_template_kwargs is ") + variables.KindName() + ", must be an object",
        "chat_template_kwargs"};
  }
  if (variables.is_object()) chat.variables = std::move(variables.as_object());
  for (const auto& [name, value] : chat.variables) {
    if (name != "messages" && name != "tools" && name != "documents") continue;
    const std::string path = "chat_template_kwargs." + name;
    return RecordError{
        path + " would take the place of " + name + ": give it beside chat_template_kwargs", path};
  }
  SGLRUN_RETURN_IF_ERROR(TidyMessages(chat.messages));
  if (!render) return RecordError{"messages: no chat template is at hand", "messages"};
  SGLRUN_ASSIGN_OR_RETURN(const ChatPromptIds prompt, render(std::move(chat)));
  warnings.insert(warnings.end(), prompt.warnings.begin(), prompt.warnings.end());
  if (prompt.ids.empty()) return RecordError{"messages give an empty prompt", "messages"};
  Json::Array list;
  list.reserve(prompt.ids.size());
  for (const std::int32_t id : prompt.ids) list.emplace_back(std::int64_t{id});
  object.as_object().emplace_back("input_ids", Json(std::move(list)));
  return prompt.tool_calls;
}

}  // namespace sglrun::io
