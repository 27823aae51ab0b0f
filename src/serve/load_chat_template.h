// From --model, --tokenizer and --template to the chat template that `batch`, `template` and `chat`
// work with, and from the conversation of a record to its prompt.
#pragma once

#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "chat_template/chat_template.h"
#include "io/chat_record.h"
#include "model/files/model_files.h"
#include "serve/load.h"
#include "serve/settings.h"

namespace sglrun::serve {

// The chat configuration of --tokenizer, else of --model; nothing if neither is given. --template
// FILE replaces its templates but not its special tokens. `model`: the files of --model if they are
// already open.
Result<chat_template::ChatTemplateFiles> FindChatTemplates(
    const ServeSettings& settings, const model::ModelFiles* model = nullptr);

// How a rendered conversation is tokenized; `prompt` must outlive the result.
tokenizer::EncodeOptions PromptEncoding(const ServeSettings& settings,
                                        const chat_template::ChatPrompt& prompt);

// A chat template, and the call format that it describes.
struct ChatModel {
  chat_template::ChatTemplate chat;
  io::ToolCallForm tool_calls;
  bool knows_tools;  // it shows them, or may
};

// The template of a run, and the last template that a record contained. Thread-safe.
class ChatModels {
 public:
  explicit ChatModels(chat_template::ChatTemplateFiles files);

  // Whether the run has a template that can be used.
  Status standard() const;
  // The record's own template, else the run's.
  Result<std::shared_ptr<const ChatModel>, RecordError> For(const io::ChatRecord& record);

 private:
  const chat_template::ChatTemplateFiles files_;
  const Result<std::shared_ptr<const ChatModel>> standard_;
  std::mutex mutex_;
  std::string brought_text_;
  std::shared_ptr<const ChatModel> brought_;
};

// The messages that a template receives.
enum class Messages {
  kAsGiven,  // messages as they are, as transformers shows them
  kServed,   // as a server does: io/chat_messages.h, chat_template/chat_content.h
};

// Converts the conversation of a record to its prompt.
Result<chat_template::ChatPrompt, RecordError> RenderChatRecord(const ChatModel& model,
                                                                io::ChatRecord record,
                                                                Messages messages,
                                                                const std::optional<std::tm>& now);

// Turns `messages` of input lines into token ids. An unusable --template FILE is an error of the
// run. If the model has no usable template, each record with messages fails, and the message says
// what to do. The tokenizer must outlive the result.
Result<io::RenderChat> MakeChatRenderer(const ServeSettings& settings, const ModelSource& source);

}  // namespace sglrun::serve
