#include <cstdio>
#include <ctime>
#include <optional>

#include "cli/commands.h"
#include "cli/jsonl_filter.h"
#include "cli/load.h"
#include "cli/load_chat_template.h"

namespace sglrun::cli {
namespace {

using tokenizer::ChatPrompt;
using tokenizer::ChatRequest;
using tokenizer::ChatTemplate;
using tokenizer::ChatTemplateFiles;

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

// The templates of the command line, and the last one that a line brought along.
class LineRenderer {
 public:
  LineRenderer(ChatTemplateFiles files, std::optional<ChatTemplate> standard,
               std::optional<std::tm> now)
      : files_(std::move(files)), standard_(std::move(standard)), now_(now) {}

  Result<ChatPrompt, RecordError> Render(const Json& line) {
    if (!line.is_object()) {
      return RecordError{std::string("the line is ") + line.KindName() +
                         ", must be an object with messages"};
    }
    ChatRequest request;
    request.now = now_;
    const ChatTemplate* chat = standard_ ? &*standard_ : nullptr;
    for (const auto& [key, value] : line.as_object()) {
      if (key == "messages") {
        request.messages = value;
      } else if (key == "tools") {
        request.tools = value;
      } else if (key == "documents") {
        request.documents = value;
      } else if (key == "add_generation_prompt") {
        if (!value.is_bool()) {
          return RecordError{key + " is " + value.KindName() + ", must be a boolean", key};
        }
        request.add_generation_prompt = value.as_bool();
      } else if (key == "chat_template" && !value.is_null()) {
        SGLRUN_ASSIGN_OR_RETURN(chat, OfLine(value));
      } else if (key != "chat_template") {
        request.variables.emplace_back(key, value);
      }
    }
    if (line.Find("messages") == nullptr) return RecordError{"messages is missing", "messages"};
    if (chat == nullptr) {
      return RecordError{
          "there is no template: give --model, --template FILE, or chat_template in the line",
          "chat_template"};
    }
    Result<ChatPrompt> prompt = chat->Render(request);
    if (!prompt.ok()) return RecordError{prompt.error().message, "messages"};
    return std::move(*prompt);
  }

 private:
  Result<const ChatTemplate*, RecordError> OfLine(const Json& text) {
    if (!text.is_string()) {
      return RecordError{std::string("chat_template is ") + text.KindName() + ", must be a string",
                         "chat_template"};
    }
    if (brought_ && brought_text_ == text.as_string()) return &*brought_;
    ChatTemplateFiles files = files_;
    files.templates = {{"default", text.as_string(), "chat_template"}};
    Result<ChatTemplate> parsed = ChatTemplate::Make(files);
    if (!parsed.ok()) return RecordError{parsed.error().message, "chat_template"};
    brought_text_ = text.as_string();
    brought_ = std::move(*parsed);
    return &*brought_;
  }

  ChatTemplateFiles files_;
  std::optional<ChatTemplate> standard_;
  std::optional<std::tm> now_;
  std::string brought_text_;
  std::optional<ChatTemplate> brought_;
};

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
  std::optional<ChatTemplate> standard;
  if (!files.templates.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(standard, ChatTemplate::Make(files));
  }
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  if (options.input_ids) {
    SGLRUN_ASSIGN_OR_RETURN(tokenizer, LoadTokenizer(options));
  }
  LineRenderer renderer(std::move(files), std::move(standard), now);
  const std::string input = options.inputs.empty() ? "-" : options.inputs[0];
  return FilterJsonLines({.input = input},
                         [&](const Json& line, JsonWriter& out) -> Result<void, RecordError> {
                           SGLRUN_ASSIGN_OR_RETURN(const ChatPrompt prompt, renderer.Render(line));
                           return AnswerPrompt(options, prompt, tokenizer.get(), out);
                         },
                         {.keep_number_text = true});
}

}  // namespace sglrun::cli
