#include "tokenizer/chat_template.h"

#include <algorithm>

#include "base/utf8.h"

namespace sglrun::tokenizer {
namespace {

using jinja::Fault;
using jinja::FaultKind;
using jinja::Origin;

Error ToError(const std::string& what, const Fault& fault) {
  if (fault.kind == FaultKind::kRaised) {
    return Error{"the chat template refuses the messages: " + fault.message};
  }
  const std::string line = fault.line > 0 ? ", line " + std::to_string(fault.line) : "";
  return Error{what + line + ": " + ToValidUtf8(fault.message)};
}

Status CheckShape(const ChatRequest& request) {
  if (!request.messages.is_array()) {
    return Error{std::string("messages is ") + request.messages.KindName() +
                 ", must be an array of objects like {\"role\": \"user\", \"content\": \"...\"}"};
  }
  for (std::size_t i = 0; i < request.messages.as_array().size(); ++i) {
    const Json& message = request.messages.as_array()[i];
    if (message.is_object()) continue;
    return Error{"messages[" + std::to_string(i) + "] is " + message.KindName() +
                 ", must be an object like {\"role\": \"user\", \"content\": \"...\"}"};
  }
  for (const auto& [name, value] :
       {std::pair("tools", &request.tools), std::pair("documents", &request.documents)}) {
    if (value->is_null() || value->is_array()) continue;
    return Error{std::string(name) + " is " + value->KindName() + ", must be an array or null"};
  }
  return {};
}

std::tm Now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return local;
}

}  // namespace

Result<ChatTemplate> ChatTemplate::Make(const ChatTemplateFiles& files) {
  if (files.templates.empty()) {
    return Error{
        "the model has no chat template: give one with --template FILE, or send `text` instead of "
        "`messages`"};
  }
  ChatTemplate result;
  for (const ChatTemplateFiles::Entry& entry : files.templates) {
    if (!IsValidUtf8(entry.text)) return Error{entry.place + " is not valid UTF-8"};
    jinja::Try<jinja::Template> program = jinja::Template::Parse(entry.text);
    if (!program.ok()) return ToError(entry.place, program.error());
    result.templates_.push_back({entry.name, std::move(*program)});
  }
  result.special_tokens_ = files.special_tokens;
  return result;
}

const ChatTemplate::Parsed* ChatTemplate::Choose(bool with_tools) const {
  const auto named = [&](std::string_view name) -> const Parsed* {
    const auto it = std::find_if(templates_.begin(), templates_.end(),
                                 [&](const Parsed& entry) { return entry.name == name; });
    return it == templates_.end() ? nullptr : &*it;
  };
  if (with_tools) {
    if (const Parsed* tool_use = named("tool_use")) return tool_use;
  }
  if (const Parsed* standard = named("default")) return standard;
  return templates_.size() == 1 ? &templates_[0] : nullptr;
}

Result<ChatPrompt> ChatTemplate::Render(const ChatRequest& request) const {
  SGLRUN_RETURN_IF_ERROR(CheckShape(request));
  const Parsed* chosen = Choose(!request.tools.is_null());
  if (chosen == nullptr) {
    return Error{
        "the model has several chat templates and none is named default: give one with "
        "--template FILE"};
  }
  jinja::Dict variables;
  for (const auto& [name, token] : special_tokens_) variables.Set(name, jinja::Value::Str(token));
  variables.Set("messages", FromJson(request.messages, Origin::kUser));
  variables.Set("tools", FromJson(request.tools, Origin::kUser));
  variables.Set("documents", FromJson(request.documents, Origin::kUser));
  variables.Set("add_generation_prompt", jinja::Value::Bool(request.add_generation_prompt));
  for (const auto& [name, value] : request.variables) {
    // Without a model the line names the special tokens itself.
    const bool token = name.ends_with("_token");
    variables.Set(name, FromJson(value, token ? Origin::kTemplate : Origin::kUser));
  }
  const jinja::Try<jinja::Rendered> rendered =
      chosen->program.Render(variables, request.now ? *request.now : Now());
  if (!rendered.ok()) return ToError("chat template", rendered.error());
  return ChatPrompt{rendered->text, rendered->user};
}

}  // namespace sglrun::tokenizer
