#include "cli/load_chat_template.h"

#include <filesystem>

#include "base/mapped_file.h"
#include "model/model_files.h"

namespace sglrun::cli {
namespace {

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

}  // namespace

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
