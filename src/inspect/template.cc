#include "inspect/template.h"

#include <ctime>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "console/jsonl_filter.h"
#include "io/chat_record.h"
#include "serve/load.h"

namespace sglrun::inspect {
namespace {

using chat_template::ChatPrompt;
using chat_template::ChatTemplateFiles;

// "2026-01-31T12:00:00"
Result<std::optional<std::tm>> ReadNow(const std::string& text) {
  if (text.empty()) return std::optional<std::tm>();
  std::tm now{};
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &now);
  if (end != nullptr && *end == '\0') {
    std::tm normal = now;  // the day of the week and of the year
    timegm(&normal);
    if (normal.tm_mday == now.tm_mday) return std::optional<std::tm>(normal);
  }
  return Error{"--now is \"" + text + "\", must be a time like 2026-01-31T12:00:00"};
}

// A line as a conversation. Members that are no part of one are variables of the template.
Result<io::ChatRecord, RecordError> ReadLine(Json line) {
  if (!line.is_object()) {
    return RecordError{std::string("the line is ") + line.KindName() +
                       ", must be an object with messages"};
  }
  if (line.Find("messages") == nullptr) return RecordError{"messages is missing", "messages"};
  SGLRUN_ASSIGN_OR_RETURN(io::ChatRecord chat, io::TakeChat(line));
  std::set<std::string, std::less<>> inside;
  for (const auto& [name, value] : chat.variables) inside.insert(name);
  for (auto& [name, value] : line.as_object()) {
    if (inside.contains(name)) {
      const std::string path = "chat_template_kwargs." + name;
      return RecordError{name + " and " + path + " are both given; only one is allowed", path};
    }
    chat.variables.emplace_back(name, std::move(value));
  }
  return chat;
}

// What a line without a template of its own is told when the run has none.
RecordError NoTemplate(const serve::ServeSettings& serve) {
  const bool has_model = !serve.model.empty() || !serve.tokenizer.empty();
  return {std::string(has_model ? "the model has no chat template: give "
                                : "there is no template: give --model, ") +
              "--template FILE, or chat_template in the line",
          "chat_template"};
}

Result<ChatPrompt, RecordError> RenderLine(const TemplateSettings& settings, const Json& line,
                                           const std::optional<std::tm>& now,
                                           serve::ChatModels& models) {
  const serve::Messages messages = settings.messages;
  SGLRUN_ASSIGN_OR_RETURN(io::ChatRecord chat, ReadLine(line));
  if (messages == serve::Messages::kServed) SGLRUN_RETURN_IF_ERROR(io::TidyChat(chat));
  if (!chat.chat_template && !models.standard().ok()) return NoTemplate(settings.serve);
  SGLRUN_ASSIGN_OR_RETURN(const auto model, models.For(chat));
  return serve::RenderChatRecord(*model, std::move(chat), messages, now);
}

Result<void, RecordError> AnswerPrompt(const TemplateSettings& settings, const ChatPrompt& prompt,
                                       const tokenizer::Tokenizer* tokenizer, JsonWriter& out) {
  out.BeginObject();
  out.Key("text");
  out.String(prompt.text);
  if (tokenizer != nullptr) {
    const auto ids = tokenizer->Encode(prompt.text, serve::PromptEncoding(settings.serve, prompt));
    if (!ids.ok()) return RecordError{ids.error().message, "messages"};
    out.Key("input_ids");
    out.BeginArray();
    for (const tokenizer::TokenId id : *ids) out.Int(id);
    out.EndArray();
  }
  out.EndObject();
  return {};
}

}  // namespace

Result<int> RunTemplate(const TemplateSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<std::tm> now, ReadNow(settings.now));
  SGLRUN_ASSIGN_OR_RETURN(ChatTemplateFiles files, serve::FindChatTemplates(settings.serve));
  const bool has_template = !files.templates.empty();
  serve::ChatModels models(std::move(files));
  if (has_template) SGLRUN_RETURN_IF_ERROR(models.standard());
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  if (settings.input_ids) {
    SGLRUN_ASSIGN_OR_RETURN(tokenizer, serve::LoadTokenizer(settings.serve));
  }
  return console::FilterJsonLines(
      {.input = settings.input},
      [&](const Json& line, JsonWriter& out) -> Result<void, RecordError> {
        SGLRUN_ASSIGN_OR_RETURN(const ChatPrompt prompt, RenderLine(settings, line, now, models));
        return AnswerPrompt(settings, prompt, tokenizer.get(), out);
      },
      {.keep_number_text = true});
}

}  // namespace sglrun::inspect
