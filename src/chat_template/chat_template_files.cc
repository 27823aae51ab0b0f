#include <algorithm>
#include <filesystem>

#include "base/mapped_file.h"
#include "chat_template/chat_template.h"
#include "tokenizer/is_there.h"
#include "tokenizer/json_view.h"
#include "tokenizer/read_json.h"

namespace sglrun::chat_template {
namespace {

namespace fs = std::filesystem;

void AddTemplate(ChatTemplateFiles& files, ChatTemplateFiles::Entry entry) {
  const bool known = std::any_of(files.templates.begin(), files.templates.end(),
                                 [&](const auto& other) { return other.name == entry.name; });
  if (!known) files.templates.push_back(std::move(entry));
}

void AddToken(ChatTemplateFiles& files, const std::string& name, const std::string& token) {
  const bool known = std::any_of(files.special_tokens.begin(), files.special_tokens.end(),
                                 [&](const auto& other) { return other.first == name; });
  if (!known) files.special_tokens.emplace_back(name, token);
}

// A text, or a list of {"name", "template"}.
Status AddFromJson(ChatTemplateFiles& files, const tokenizer::JsonView& file,
                   const std::string& place) {
  if (!file.Has("chat_template")) return {};
  SGLRUN_ASSIGN_OR_RETURN(const tokenizer::JsonView value, file.Member("chat_template"));
  if (!value.json().is_array()) {
    SGLRUN_ASSIGN_OR_RETURN(std::string text, value.String());
    AddTemplate(files, {"default", std::move(text), place + ": chat_template"});
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<tokenizer::JsonView> entries, value.Elements());
  for (const tokenizer::JsonView& entry : entries) {
    SGLRUN_ASSIGN_OR_RETURN(const tokenizer::JsonView name_view, entry.Member("name"));
    SGLRUN_ASSIGN_OR_RETURN(const tokenizer::JsonView text_view, entry.Member("template"));
    SGLRUN_ASSIGN_OR_RETURN(std::string name, name_view.String());
    SGLRUN_ASSIGN_OR_RETURN(std::string text, text_view.String());
    const std::string where = place + ": chat_template \"" + name + "\"";
    AddTemplate(files, {std::move(name), std::move(text), where});
  }
  return {};
}

// {"bos_token": "<s>"} or {"bos_token": {"content": "<s>", ...}}
void AddTokens(ChatTemplateFiles& files, const Json& json) {
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.as_object()) {
    if (!name.ends_with("_token")) continue;
    const Json* content = value.is_object() ? value.Find("content") : &value;
    if (content != nullptr && content->is_string()) AddToken(files, name, content->as_string());
  }
}

Status AddTextFile(ChatTemplateFiles& files, const fs::path& path, const std::string& name) {
  if (!tokenizer::IsThere(path)) return {};
  SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadFile(path.string()));
  AddTemplate(files, {name, std::move(text), path.string()});
  return {};
}

// additional_chat_templates/NAME.jinja, in order of name.
Status AddFolder(ChatTemplateFiles& files, const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".jinja") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    SGLRUN_RETURN_IF_ERROR(AddTextFile(files, path, path.stem().string()));
  }
  return {};
}

Status AddJsonFile(ChatTemplateFiles& files, const fs::path& path) {
  if (!tokenizer::IsThere(path)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string()));
  SGLRUN_ASSIGN_OR_RETURN(const Json json, tokenizer::ReadJson(text, path.string()));
  AddTokens(files, json);
  const Status added = AddFromJson(files, tokenizer::JsonView(json, ""), path.string());
  if (!added.ok()) return Error{path.string() + ": " + added.error().message};
  return {};
}

}  // namespace

Result<ChatTemplateFiles> ReadChatTemplates(const std::string& directory) {
  const fs::path folder(directory);
  ChatTemplateFiles files;
  SGLRUN_RETURN_IF_ERROR(AddTextFile(files, folder / "chat_template.jinja", "default"));
  SGLRUN_RETURN_IF_ERROR(AddFolder(files, folder / "additional_chat_templates"));
  SGLRUN_RETURN_IF_ERROR(AddJsonFile(files, folder / "chat_template.json"));
  SGLRUN_RETURN_IF_ERROR(AddJsonFile(files, folder / "tokenizer_config.json"));
  SGLRUN_RETURN_IF_ERROR(AddJsonFile(files, folder / "special_tokens_map.json"));
  return files;
}

ChatTemplateFiles ChatTemplatesOf(const tokenizer::GgufVocabulary& vocabulary) {
  ChatTemplateFiles files;
  if (!vocabulary.chat_template.empty()) {
    AddTemplate(files, {"default", vocabulary.chat_template, "tokenizer.chat_template"});
  }
  for (const auto& [name, text] : vocabulary.named_chat_templates) {
    AddTemplate(files, {name, text, "tokenizer.chat_template." + name});
  }
  const auto add_token = [&](const char* name, const std::optional<tokenizer::TokenId>& id) {
    if (!id || *id < 0 || static_cast<std::size_t>(*id) >= vocabulary.tokens.size()) return;
    AddToken(files, name, vocabulary.tokens[static_cast<std::size_t>(*id)]);
  };
  add_token("bos_token", vocabulary.bos_id);
  add_token("eos_token", vocabulary.eos_id);
  add_token("unk_token", vocabulary.unk_id);
  add_token("pad_token", vocabulary.pad_id);
  return files;
}

}  // namespace sglrun::chat_template
