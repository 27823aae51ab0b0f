#include "cli/load_chat_template.h"

#include <filesystem>
#include <memory>

#include "base/mapped_file.h"
#include "model/model_files.h"

namespace sglrun::cli {
namespace {

using tokenizer::ChatTemplate;
using tokenizer::ChatTemplateFiles;

Result<ChatTemplateFiles> TemplatesAt(const std::string& path) {
  if (!path.ends_with(".gguf")) {
    // Of a single file, such as tokenizer.json, its folder.
    const bool folder = std::filesystem::is_directory(path);
    return tokenizer::ReadChatTemplates(
        folder ? path : std::filesystem::path(path).parent_path().string());
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<model::GgufTokenizerFields> fields,
                          model::ModelFiles::ReadGgufTokenizer(path));
  if (!fields) return ChatTemplateFiles();
  tokenizer::GgufVocabulary vocabulary;
  vocabulary.tokens = fields->tokens;
  vocabulary.bos_id = fields->bos_id;
  vocabulary.eos_id = fields->eos_id;
  vocabulary.unk_id = fields->unk_id;
  vocabulary.pad_id = fields->pad_id;
  vocabulary.chat_template = fields->chat_template;
  vocabulary.named_chat_templates = fields->named_chat_templates;
  return tokenizer::ChatTemplatesOf(vocabulary);
}

Result<ChatTemplate> LoadChatTemplate(const Options& options) {
  SGLRUN_ASSIGN_OR_RETURN(const ChatTemplateFiles files, FindChatTemplates(options));
  return ChatTemplate::Make(files);
}

Result<std::vector<std::int32_t>, RecordError> Render(const ChatTemplate& chat,
                                                      const tokenizer::Tokenizer& tokenizer,
                                                      const io::ChatRecord& record) {
  tokenizer::ChatRequest request{
      .messages = record.messages, .tools = record.tools, .documents = record.documents};
  for (const auto& [name, value] : record.variables) {
    if (name != "add_generation_prompt") {
      request.variables.emplace_back(name, value);
    } else if (value.is_bool()) {
      request.add_generation_prompt = value.as_bool();
    } else {
      return RecordError{name + " is " + value.KindName() + ", must be a boolean",
                         "chat_template_kwargs." + name};
    }
  }
  const auto prompt = chat.Render(request);
  if (!prompt.ok()) return RecordError{prompt.error().message, "messages"};
  // The template wrote the special tokens; another BOS in front would be one too many.
  auto ids = tokenizer.Encode(prompt->text, {.add_special_tokens = false});
  if (!ids.ok()) return RecordError{ids.error().message, "messages"};
  return std::move(*ids);
}

}  // namespace

io::RenderChat MakeChatRenderer(const Options& options, const tokenizer::Tokenizer& tokenizer) {
  const auto chat = std::make_shared<const Result<ChatTemplate>>(LoadChatTemplate(options));
  return [chat, &tokenizer](
             const io::ChatRecord& record) -> Result<std::vector<std::int32_t>, RecordError> {
    if (!chat->ok()) return RecordError{chat->error().message, "messages"};
    return Render(**chat, tokenizer, record);
  };
}

Result<ChatTemplateFiles> FindChatTemplates(const Options& options) {
  ChatTemplateFiles files;
  const std::string& path = options.tokenizer.empty() ? options.model : options.tokenizer;
  if (!path.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(files, TemplatesAt(path));
  }
  if (options.chat_template.empty()) return files;
  SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadFile(options.chat_template));
  files.templates = {{"default", std::move(text), options.chat_template}};
  return files;
}

}  // namespace sglrun::cli
