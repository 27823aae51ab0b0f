#include "serve/load_chat_template.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/mapped_file.h"

namespace sglrun::serve {
namespace {

using chat_template::ChatTemplate;
using chat_template::ChatTemplateFiles;

ChatTemplateFiles TemplatesOf(const model::GgufTokenizerFields* fields) {
  return fields == nullptr ? ChatTemplateFiles()
                           : chat_template::ChatTemplatesOf(ToVocabulary(*fields));
}

Result<ChatTemplateFiles> TemplatesAt(const std::string& path) {
  if (!IsGguf(path)) {
    // The folder, or the folder of a single file such as tokenizer.json.
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    return chat_template::ReadChatTemplates(
        folder ? path : std::filesystem::path(path).parent_path().string());
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<model::GgufTokenizerFields> fields,
                          model::ModelFiles::ReadGgufTokenizer(path));
  return TemplatesOf(fields ? &*fields : nullptr);
}

bool Mentions(const ChatTemplateFiles& files, std::string_view words) {
  return std::ranges::any_of(files.templates, [&](const ChatTemplateFiles::Entry& entry) {
    return entry.text.find(words) != std::string::npos;
  });
}

// The call format that a template describes. If it contains several formats, the first of this list
// is used.
io::ToolCallForm ToolCallFormOf(const ChatTemplateFiles& files) {
  const auto mentions = [&](std::string_view words) { return Mentions(files, words); };
  if (mentions("[TOOL_CALLS]")) return io::ToolCallForm::kListed;
  if (mentions("<tool_call>")) return io::ToolCallForm::kTagged;
  if (mentions("{\"name\": function name, \"parameters\":")) return io::ToolCallForm::kBare;
  return io::ToolCallForm::kNone;
}

Result<std::shared_ptr<const ChatModel>> MakeChatModel(const ChatTemplateFiles& files) {
  SGLRUN_ASSIGN_OR_RETURN(ChatTemplate chat, ChatTemplate::Make(files));
  return std::make_shared<const ChatModel>(
      ChatModel{std::move(chat), ToolCallFormOf(files), Mentions(files, "tools")});
}

Result<io::ChatPromptIds, RecordError> PromptIds(const ChatModel& model,
                                                 const tokenizer::Tokenizer& tokenizer,
                                                 const ServeSettings& settings,
                                                 io::ChatRecord record) {
  const bool has_tools = !record.tools.is_null();
  SGLRUN_ASSIGN_OR_RETURN(const chat_template::ChatPrompt prompt,
                          RenderChatRecord(model, std::move(record), Messages::kServed, {}));
  auto ids = tokenizer.Encode(prompt.text, PromptEncoding(settings, prompt));
  if (!ids.ok()) return RecordError{ids.error().message, "messages"};
  io::ChatPromptIds result{std::move(*ids), model.tool_calls};
  if (has_tools && !model.knows_tools) {
    result.warnings.emplace_back("tools are given, but the chat template does not show them");
  }
  return result;
}

}  // namespace

ChatModels::ChatModels(ChatTemplateFiles files)
    : files_(std::move(files)), standard_(MakeChatModel(files_)) {}

Status ChatModels::standard() const {
  if (!standard_.ok()) return standard_.error();
  return {};
}

Result<std::shared_ptr<const ChatModel>, RecordError> ChatModels::For(
    const io::ChatRecord& record) {
  if (!record.chat_template) {
    if (files_.templates.empty()) {
      return RecordError{"the model has no chat template: give one with --template FILE, or " +
                             std::string(record.without_template),
                         "messages"};
    }
    if (!standard_.ok()) return RecordError{standard_.error().message, "messages"};
    return *standard_;
  }
  const std::lock_guard lock(mutex_);
  if (brought_ != nullptr && brought_text_ == *record.chat_template) return brought_;
  ChatTemplateFiles files{.templates = {{"default", *record.chat_template, "chat_template"}},
                          .special_tokens = files_.special_tokens};
  // As for transformers, it may be the name of one of several.
  for (const ChatTemplateFiles::Entry& entry : files_.templates) {
    if (files_.templates.size() < 2 || entry.name != *record.chat_template) continue;
    files.templates = {{"default", entry.text, entry.place}};
  }
  auto made = MakeChatModel(files);
  if (!made.ok()) return RecordError{made.error().message, "chat_template"};
  brought_text_ = *record.chat_template;
  brought_ = *made;
  return brought_;
}

Result<chat_template::ChatPrompt, RecordError> RenderChatRecord(const ChatModel& model,
                                                                io::ChatRecord record,
                                                                Messages messages,
                                                                const std::optional<std::tm>& now) {
  chat_template::ChatRequest request{.messages = std::move(record.messages),
                                     .tools = std::move(record.tools),
                                     .documents = std::move(record.documents),
                                     .add_generation_prompt = record.add_generation_prompt,
                                     .continue_final_message = record.continue_final_message,
                                     .fit_content = messages == Messages::kServed,
                                     .variables = std::move(record.variables),
                                     .now = now};
  auto prompt = model.chat.Render(std::move(request));
  if (prompt.ok()) return std::move(*prompt);
  // An invalid template is an error of the record that contains it.
  const bool template_fails = prompt.error().message.starts_with("chat template");
  return RecordError{prompt.error().message,
                     record.chat_template && template_fails ? "chat_template" : "messages"};
}

Result<io::RenderChat> MakeChatRenderer(const ServeSettings& settings, const ModelSource& source) {
  const auto& found = source.templates;
  const auto models = found.ok() ? std::make_shared<ChatModels>(*found) : nullptr;
  const std::string fault = found.ok() ? "" : found.error().message;
  if (!settings.chat_template.empty()) {
    // An invalid --template file is an error of the run, not of each record.
    if (models == nullptr) return found.error();
    SGLRUN_RETURN_IF_ERROR(models->standard());
  }
  return io::RenderChat([models, fault, settings, tokenizer = source.tokenizer.get()](
                            io::ChatRecord record) -> Result<io::ChatPromptIds, RecordError> {
    if (models == nullptr) return RecordError{fault, "messages"};
    SGLRUN_ASSIGN_OR_RETURN(const auto model, models->For(record));
    return PromptIds(*model, *tokenizer, settings, std::move(record));
  });
}

tokenizer::EncodeOptions PromptEncoding(const ServeSettings& settings,
                                        const chat_template::ChatPrompt& prompt) {
  // The template has written the special tokens, so no further BOS is added.
  tokenizer::EncodeOptions encoding{.add_special_tokens = false};
  if (settings.plain_content) encoding.plain = prompt.user;
  return encoding;
}

Result<ChatTemplateFiles> FindChatTemplates(const ServeSettings& settings,
                                            const model::ModelFiles* model) {
  ChatTemplateFiles files;
  const std::string& path = settings.tokenizer.empty() ? settings.model : settings.tokenizer;
  if (model != nullptr && settings.tokenizer.empty() && model->is_gguf()) {
    files = TemplatesOf(model->gguf_tokenizer());
  } else if (!path.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(files, TemplatesAt(path));
  }
  if (settings.chat_template.empty()) return files;
  SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadFile(settings.chat_template));
  files.templates = {{"default", std::move(text), settings.chat_template}};
  return files;
}

}  // namespace sglrun::serve
