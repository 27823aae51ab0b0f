#include "io/chat_record.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "io/chat_messages.h"
#include "io/members.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using Outcome = Result<void, RecordError>;

constexpr std::string_view kFlags[] = {"add_generation_prompt", "continue_final_message"};
// Members that are allowed only together with messages.
constexpr std::string_view kChatFields[] = {
    "messages", "tools",   "documents",       "chat_template",
    kFlags[0],  kFlags[1], "enable_thinking", "chat_template_kwargs"};
// Variables of templates that could be mistaken for fields of the record.
constexpr std::string_view kVariables[] = {"thinking", "reasoning_effort", "thinking_budget"};

bool Given(const Json& object, std::string_view name) {
  const Json* value = object.Find(name);
  return value != nullptr && !value->is_null();
}

Result<Json, RecordError> TakeList(Json& object, std::string_view name) {
  Json list = TakeMember(object, name);
  if (list.is_null()) return list;
  if (!list.is_array()) return BadValue(name, list.KindName(), "an array of objects or null");
  return list;
}

Outcome CheckObjects(const Json& list, std::string_view name) {
  if (list.is_null()) return {};
  std::size_t index = 0;
  for (const Json& one : list.as_array()) {
    const std::string path = request::ElementPath(name, index++);
    if (!one.is_object()) return BadValue(path, one.Excerpt(), "an object");
  }
  return {};
}

Result<Json::Object, RecordError> TakeVariables(Json& object) {
  Json variables = TakeMember(object, "chat_template_kwargs");
  if (variables.is_null()) return Json::Object();
  if (!variables.is_object()) {
    return BadValue("chat_template_kwargs", variables.KindName(), "an object");
  }
  for (const std::string_view name : {"messages", "tools", "documents", "chat_template"}) {
    if (variables.Find(name) == nullptr) continue;
    const std::string path = "chat_template_kwargs." + std::string(name);
    return RecordError{
        path + " would replace " + std::string(name) + ": set it outside of chat_template_kwargs",
        path};
  }
  return std::move(variables.as_object());
}

RecordError GivenTwice(std::string_view name) {
  const std::string path = "chat_template_kwargs." + std::string(name);
  return RecordError{std::string(name) + " and " + path + " are both given; only one is allowed",
                     path};
}

// A member of the record that is also allowed in chat_template_kwargs; null if it is in neither.
Result<Json, RecordError> TakeFlag(Json& object, Json::Object& variables, std::string_view name) {
  Json beside = TakeMember(object, name);
  const auto inside = std::find_if(variables.begin(), variables.end(),
                                   [&](const auto& variable) { return variable.first == name; });
  if (inside == variables.end()) {
    if (!beside.is_null()) SGLRUN_RETURN_IF_ERROR(request::ReadBool(beside, name));
    return beside;
  }
  if (!beside.is_null()) return GivenTwice(name);
  Json value = std::move(inside->second);
  variables.erase(inside);
  if (value.is_null()) return value;
  SGLRUN_RETURN_IF_ERROR(request::ReadBool(value, "chat_template_kwargs." + std::string(name)));
  return value;
}

Outcome TakeFlags(Json& object, ChatRecord& chat) {
  SGLRUN_ASSIGN_OR_RETURN(const Json generation, TakeFlag(object, chat.variables, kFlags[0]));
  SGLRUN_ASSIGN_OR_RETURN(const Json continues, TakeFlag(object, chat.variables, kFlags[1]));
  chat.continue_final_message = continues.is_bool() && continues.as_bool();
  chat.add_generation_prompt =
      generation.is_bool() ? generation.as_bool() : !chat.continue_final_message;
  if (chat.continue_final_message && chat.add_generation_prompt) {
    return RecordError{
        "continue_final_message and add_generation_prompt are both true: the answer goes on with "
        "the last message, or begins a new one",
        std::string(kFlags[1])};
  }
  return {};
}

// A variable that hosted services accept as a field.
Outcome TakeThinking(Json& object, ChatRecord& chat) {
  constexpr std::string_view kName = "enable_thinking";
  Json thinks = TakeMember(object, kName);
  if (thinks.is_null()) return {};
  SGLRUN_RETURN_IF_ERROR(request::ReadBool(thinks, kName));
  for (const auto& [name, value] : chat.variables) {
    if (name == kName) return GivenTwice(kName);
  }
  chat.variables.emplace_back(std::string(kName), std::move(thinks));
  return {};
}

// Refuses members that would otherwise be ignored as unknown fields.
Outcome RefuseVariables(const Json& object) {
  for (const std::string_view name : kVariables) {
    if (!Given(object, name)) continue;
    return RecordError{
        std::string(name) + " is a variable of chat templates: give it inside chat_template_kwargs",
        std::string(name)};
  }
  return {};
}

Outcome CheckAlone(const Json& object) {
  for (const std::string_view name : kChatFields) {
    if (!Given(object, name)) continue;
    return RecordError{std::string(name) + " is given without messages", std::string(name)};
  }
  return {};
}

// A function without parameters gets null parameters, as in servers, which read tools into their
// own objects. Templates access members of the parameters, which works for null but not for a
// missing value.
void FillParameters(Json& tools) {
  if (!tools.is_array()) return;
  for (Json& tool : tools.as_array()) {
    for (auto& [name, function] : tool.as_object()) {
      if (name != "function" || !function.is_object()) continue;
      if (function.Find("parameters") != nullptr) continue;
      function.as_object().emplace_back("parameters", Json());
    }
  }
}

}  // namespace

Result<ChatRecord, RecordError> TakeChat(Json& object) {
  ChatRecord chat;
  chat.messages = TakeMember(object, "messages");
  SGLRUN_ASSIGN_OR_RETURN(chat.tools, TakeList(object, "tools"));
  SGLRUN_ASSIGN_OR_RETURN(chat.documents, TakeList(object, "documents"));
  SGLRUN_ASSIGN_OR_RETURN(chat.variables, TakeVariables(object));
  SGLRUN_RETURN_IF_ERROR(TakeFlags(object, chat));
  if (Json own = TakeMember(object, "chat_template"); !own.is_null()) {
    if (!own.is_string()) return BadValue("chat_template", own.Excerpt(), "a string");
    chat.chat_template = std::move(own.as_string());
  }
  return chat;
}

Outcome TidyChat(ChatRecord& chat) {
  SGLRUN_RETURN_IF_ERROR(CheckObjects(chat.tools, "tools"));
  FillParameters(chat.tools);
  SGLRUN_RETURN_IF_ERROR(CheckObjects(chat.documents, "documents"));
  return TidyMessages(chat.messages);
}

Result<ToolCallForm, RecordError> ReplaceMessages(Json& object, const RenderChat& render,
                                                  bool from_openai,
                                                  std::vector<std::string>& warnings) {
  if (!Given(object, "messages")) {
    SGLRUN_RETURN_IF_ERROR(CheckAlone(object));
    for (const std::string_view name : kChatFields) TakeMember(object, name);
    return ToolCallForm::kNone;
  }
  for (const std::string name : {"text", "input_ids", "input_embeds"}) {
    if (Given(object, name)) {
      return RecordError{"messages and " + name + " are both given; only one is allowed",
                         "messages"};
    }
    TakeMember(object, name);
  }
  SGLRUN_ASSIGN_OR_RETURN(ChatRecord chat, TakeChat(object));
  SGLRUN_RETURN_IF_ERROR(TakeThinking(object, chat));
  SGLRUN_RETURN_IF_ERROR(RefuseVariables(object));
  SGLRUN_RETURN_IF_ERROR(TidyChat(chat));
  if (from_openai) chat.without_template = "send `prompt` to /v1/completions";
  if (!render) return RecordError{"messages: there is no chat template", "messages"};
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
