#include <ctime>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/jsonl_filter.h"
#include "cli/load.h"
#include "cli/load_chat_template.h"
#include "io/chat_record.h"

namespace sglrun::cli {
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
RecordError NoTemplate(const Options& options) {
  const bool has_model = !options.model.empty() || !options.tokenizer.empty();
  return {std::string(has_model ? "the model has no chat template: give "
                                : "there is no template: give --model, ") +
              "--template FILE, or chat_template in the line",
          "chat_template"};
}

Result<ChatPrompt, RecordError> RenderLine(const Options& options, const Json& line,
                                           const std::optional<std::tm>& now, ChatModels& models) {
  const Messages messages = options.served ? Messages::kServed : Messages::kAsGiven;
  SGLRUN_ASSIGN_OR_RETURN(io::ChatRecord chat, ReadLine(line));
  if (messages == Messages::kServed) SGLRUN_RETURN_IF_ERROR(io::TidyChat(chat));
  if (!chat.chat_template && !models.standard().ok()) return NoTemplate(options);
  SGLRUN_ASSIGN_OR_RETURN(const auto model, models.For(chat));
  return RenderChatRecord(*model, std::move(chat), messages, now);
}

Result<void, RecordError> AnswerPrompt(const Options& options, const ChatPrompt& prompt,
                                       const tokenizer::Tokenizer* tokenizer, JsonWriter& out) {
  out.BeginObject();
  out.Key("text");
  out.String(prompt.text);
  if (tokenizer != nullptr) {
    const auto ids = tokenizer->Encode(prompt.text, PromptEncoding(options, prompt));
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

Result<int> RunTemplate(const Options& options) {
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<std::tm> now, ReadNow(options.now));
  SGLRUN_ASSIGN_OR_RETURN(ChatTemplateFiles files, FindChatTemplates(options));
  const bool has_template = !files.templates.empty();
  ChatModels models(std::move(files));
  if (has_template) SGLRUN_RETURN_IF_ERROR(models.standard());
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  if (options.input_ids) {
    SGLRUN_ASSIGN_OR_RETURN(tokenizer, LoadTokenizer(options));
  }
  const std::string input = options.inputs.empty() ? "-" : options.inputs[0];
  return FilterJsonLines({.input = input},
                         [&](const Json& line, JsonWriter& out) -> Result<void, RecordError> {
                           SGLRUN_ASSIGN_OR_RETURN(const ChatPrompt prompt,
                                                   RenderLine(options, line, now, models));
                           return AnswerPrompt(options, prompt, tokenizer.get(), out);
                         },
                         {.keep_number_text = true});
}

}  // namespace sglrun::cli
