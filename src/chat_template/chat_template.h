// Converts messages to the text of a prompt with the template of a model (a Jinja program, see
// jinja/template.h). Used by `template`, `chat`, and for `messages` in input lines.
//
//   SGLRUN_ASSIGN_OR_RETURN(const ChatTemplateFiles files, ReadChatTemplates(model_directory));
//   SGLRUN_ASSIGN_OR_RETURN(const ChatTemplate chat, ChatTemplate::Make(files));
//   SGLRUN_ASSIGN_OR_RETURN(const ChatPrompt prompt, chat.Render({.messages = messages}));
//   tokenizer.Encode(prompt.text, {.add_special_tokens = false});  // the template wrote the BOS
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "chat_template/chat_content.h"
#include "jinja/template.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::chat_template {

// The chat configuration of a model, from all its files.
struct ChatTemplateFiles {
  struct Entry {
    std::string name;  // "default", "tool_use", "rag", ...
    std::string text;
    std::string place;  // of error sentences: a file, a key of it
  };
  std::vector<Entry> templates;  // empty: the model has none
  // Variables that hold a special token each: bos_token, eos_token, ...
  std::vector<std::pair<std::string, std::string>> special_tokens;
};

// Of a directory: chat_template.jinja, additional_chat_templates/*.jinja, chat_template.json, the
// chat_template of tokenizer_config.json; the first of them that defines a template name is used.
Result<ChatTemplateFiles> ReadChatTemplates(const std::string& directory);
// Of a GGUF file: tokenizer.chat_template, tokenizer.chat_template.NAME.
ChatTemplateFiles ChatTemplatesOf(const tokenizer::GgufVocabulary& vocabulary);

struct ChatRequest {
  Json messages;        // an array of objects
  Json tools = {};      // an array, or null
  Json documents = {};  // an array, or null
  bool add_generation_prompt = true;
  // Leaves the last message open, so that the answer continues with its text.
  bool continue_final_message = false;
  // Converts contents to the shape that the template accepts (chat_content.h). Otherwise the
  // template receives them unchanged, as in transformers.
  bool fit_content = false;
  Json::Object variables = {};      // more variables; they override special tokens
  std::optional<std::tm> now = {};  // the time for strftime_now; the current time if empty
};

struct ChatPrompt {
  std::string text;
  // Ranges of `text` that came from the request, in order and disjoint. A special token spelled
  // inside them was written by a user. Words such as the role of a message (letters, digits, _ and
  // - only) are not included, because templates build special tokens with them.
  std::vector<TextRange> user;
};

class ChatTemplate {
 public:
  // Parses all of them. Fails on a syntax error, and when there is none.
  static Result<ChatTemplate> Make(const ChatTemplateFiles& files);

  // Thread-safe. The error is a message for the author of the messages and quotes what the template
  // raises. Exceeding jinja::Limits is also such an error. If the StopFlag is set, any error may be
  // returned and must not be shown.
  Result<ChatPrompt> Render(ChatRequest request) const;

 private:
  struct Parsed {
    std::string name;
    jinja::Template program;
    std::shared_ptr<ContentShapes> shapes;
  };

  // `tool_use` if there are tools and it exists, else `default`, else the only one.
  const Parsed* Choose(bool with_tools) const;
  jinja::Try<jinja::Rendered> Run(const Parsed& chosen, const ChatRequest& request,
                                  const jinja::Limits& limits) const;
  void Fit(const Parsed& chosen, Json& messages) const;

  std::vector<Parsed> templates_;
  Json::Object special_tokens_;
};

}  // namespace sglrun::chat_template
