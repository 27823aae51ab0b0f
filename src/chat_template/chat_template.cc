#include "chat_template/chat_template.h"

#include <algorithm>

#include "base/utf8.h"

namespace sglrun::chat_template {
namespace {

using jinja::Fault;
using jinja::FaultKind;
using jinja::Origin;

// A template may quote a whole conversation in its error message; only the beginning is shown.
constexpr std::size_t kLongestMessage = 4096;

// A probe is one short message; if a template takes longer, its features stay unknown.
constexpr std::int64_t kProbeSteps = 1'000'000;

std::string Shortened(std::string_view message) {
  if (message.size() <= kLongestMessage) return ToValidUtf8(message);
  message = message.substr(0, kLongestMessage);
  message.remove_suffix(IncompleteUtf8Suffix(message));
  return ToValidUtf8(message) + "...";
}

Error ToError(const std::string& what, const Fault& fault) {
  if (fault.kind == FaultKind::kRaised) {
    return Error{"the chat template refuses the messages: " + Shortened(fault.message)};
  }
  const std::string line = fault.line > 0 ? ", line " + std::to_string(fault.line) : "";
  return Error{what + line + ": " + Shortened(fault.message)};
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

// A marker appended to the text that is to continue: everything that the template writes after it
// ends the turn. The blank shows whether the template keeps trailing blanks of a text.
// (transformers finds the place in the same way.)
constexpr std::string_view kMark = "END_OF_BEGUN_ANSWER_7d1f ";
constexpr std::string_view kMarkWord = kMark.substr(0, kMark.size() - 1);
constexpr std::string_view kBlanks = " \t\r\n";

// The text that is continued: the content, or its last text part.
std::string* LastText(Json& content) {
  if (content.is_string()) return &content.as_string();
  if (!content.is_array()) return nullptr;
  std::string* last = nullptr;
  for (Json& part : content.as_array()) {
    if (!part.is_object()) continue;
    for (auto& [name, value] : part.as_object()) {
      if (name == "text" && value.is_string()) last = &value.as_string();
    }
  }
  return last;
}

// Gives the text that was marked.
Result<std::string> MarkEnd(ChatRequest& request) {
  if (request.add_generation_prompt) {
    return Error{
        "continue_final_message and add_generation_prompt are both true: the answer goes on with "
        "the last message, or begins a new one"};
  }
  std::string* text = nullptr;
  if (!request.messages.as_array().empty()) {
    for (auto& [name, value] : request.messages.as_array().back().as_object()) {
      if (name == "content") text = LastText(value);
    }
  }
  if (text == nullptr) {
    return Error{"continue_final_message is true, but the last message has no text to continue"};
  }
  std::string begun = *text;
  *text += kMark;
  return begun;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Status CutAtMark(std::string_view begun, ChatPrompt& prompt) {
  const std::size_t mark = prompt.text.rfind(kMarkWord);
  if (mark == std::string::npos || prompt.text.find(Trimmed(begun)) == std::string::npos) {
    return Error{
        "continue_final_message is true, but the chat template does not show the last message as "
        "it is"};
  }
  const bool keeps_blanks = std::string_view(prompt.text).substr(mark).starts_with(kMark);
  prompt.text.resize(mark);
  if (!keeps_blanks) prompt.text.resize(prompt.text.find_last_not_of(kBlanks) + 1);
  while (!prompt.user.empty() && prompt.user.back().begin >= prompt.text.size()) {
    prompt.user.pop_back();
  }
  if (!prompt.user.empty()) {
    prompt.user.back().end = std::min(prompt.user.back().end, prompt.text.size());
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
  if (files.templates.empty()) return Error{"the model has no chat template"};
  ChatTemplate result;
  for (const ChatTemplateFiles::Entry& entry : files.templates) {
    if (!IsValidUtf8(entry.text)) return Error{entry.place + " is not valid UTF-8"};
    jinja::Try<jinja::Template> program = jinja::Template::Parse(entry.text);
    if (!program.ok()) return ToError(entry.place, program.error());
    result.templates_.push_back(
        {entry.name, std::move(*program), std::make_shared<ContentShapes>()});
  }
  for (const auto& [name, token] : files.special_tokens) {
    result.special_tokens_.emplace_back(name, token);
  }
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

jinja::Try<jinja::Rendered> ChatTemplate::Run(const Parsed& chosen, const ChatRequest& request,
                                              const jinja::Limits& limits) const {
  std::vector<jinja::Given> variables;
  for (const auto& [name, token] : special_tokens_) {
    variables.push_back({name, token, Origin::kTemplate});
  }
  const Json prompt = request.add_generation_prompt;
  variables.push_back({"messages", request.messages, Origin::kUser});
  variables.push_back({"tools", request.tools, Origin::kUser});
  variables.push_back({"documents", request.documents, Origin::kUser});
  variables.push_back({"add_generation_prompt", prompt, Origin::kUser});
  for (const auto& [name, value] : request.variables) {
    // Without a model the line names the special tokens itself.
    const bool token = name.ends_with("_token");
    variables.push_back({name, value, token ? Origin::kTemplate : Origin::kUser});
  }
  return chosen.program.Render(variables, request.now ? *request.now : Now(), limits);
}

void ChatTemplate::Fit(const Parsed& chosen, Json& messages) const {
  const auto render = [&](Json probe) -> std::optional<std::string> {
    jinja::Try<jinja::Rendered> rendered =
        Run(chosen, {.messages = std::move(probe)}, {.steps = kProbeSteps});
    if (!rendered.ok()) return std::nullopt;
    return std::move(rendered->text);
  };
  FitContent(*chosen.shapes, render, messages);
}

Result<ChatPrompt> ChatTemplate::Render(ChatRequest request) const {
  SGLRUN_RETURN_IF_ERROR(CheckShape(request));
  const Parsed* chosen = Choose(!request.tools.is_null());
  if (chosen == nullptr) {
    return Error{
        "the model has several chat templates and none is named default: give one with "
        "--template FILE"};
  }
  if (request.fit_content) Fit(*chosen, request.messages);
  std::string begun;
  if (request.continue_final_message) {
    SGLRUN_ASSIGN_OR_RETURN(begun, MarkEnd(request));
  }
  jinja::Try<jinja::Rendered> rendered = Run(*chosen, request, {});
  if (!rendered.ok()) return ToError("chat template", rendered.error());
  ChatPrompt prompt{std::move(rendered->text), std::move(rendered->user)};
  if (request.continue_final_message) SGLRUN_RETURN_IF_ERROR(CutAtMark(begun, prompt));
  return prompt;
}

}  // namespace sglrun::chat_template
