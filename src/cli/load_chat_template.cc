#include "cli/load_chat_template.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/mapped_file.h"
#include "cli/load.h"
#include "model/model_files.h"
#include "tokenizer/chat_content.h"

namespace sglrun::cli {
namespace {

using tokenizer::ChatTemplate;
using tokenizer::ChatTemplateFiles;

Result<ChatTemplateFiles> TemplatesAt(const std::string& path) {
  if (!IsGgufPath(path)) {
    // Of a single file, such as tokenizer.json, its folder.
    const bool folder = std::filesystem::is_directory(path);
    return tokenizer::ReadChatTemplates(
        folder ? path : std::filesystem::path(path).parent_path().string());
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<model::GgufTokenizerFields> fields,
                          model::ModelFiles::ReadGgufTokenizer(path));
  if (!fields) return ChatTemplateFiles();
  return tokenizer::ChatTemplatesOf(ToVocabulary(*fields));
}

bool Mentions(const ChatTemplateFiles& files, std::string_view words) {
  return std::ranges::any_of(files.templates, [&](const ChatTemplateFiles::Entry& entry) {
    return entry.text.find(words) != std::string::npos;
  });
}

// What the words of a template teach its model. A template that shows several forms in its examples
// teaches the first of these.
io::ToolCallForm ToolCallFormOf(const ChatTemplateFiles& files) {
  const auto mentions = [&](std::string_view words) { return Mentions(files, words); };
  if (mentions("[TOOL_CALLS]")) return io::ToolCallForm::kListed;
  if (mentions("<tool_call>")) return io::ToolCallForm::kTagged;
  if (mentions("{\"name\": function name, \"parameters\":")) return io::ToolCallForm::kBare;
  return io::ToolCallForm::kNone;
}

struct LoadedTemplate {
  ChatTemplate chat;
  tokenizer::ContentShape content;
  io::ToolCallForm tool_calls;
  bool knows_tools;  // it shows them, or may
};

Result<LoadedTemplate> LoadChatTemplate(const Options& options) {
  SGLRUN_ASSIGN_OR_RETURN(const ChatTemplateFiles files, FindChatTemplates(options));
  SGLRUN_ASSIGN_OR_RETURN(ChatTemplate chat, ChatTemplate::Make(files));
  const tokenizer::ContentShape content = tokenizer::ContentShapeOf(chat);
  return LoadedTemplate{std::move(chat), content, ToolCallFormOf(files), Mentions(files, "tools")};
}

// Most inputs hold no messages; finding a template may mean reading a GGUF's vocabulary again.
struct LazyTemplate {
  std::once_flag once;
  Result<LoadedTemplate> chat = Error{""};
};

Result<io::ChatPromptIds, RecordError> Render(const LoadedTemplate& loaded,
                                              const tokenizer::Tokenizer& tokenizer,
                                              const Options& options, io::ChatRecord record) {
  tokenizer::ChatRequest request{.messages = std::move(record.messages),
                                 .tools = std::move(record.tools),
                                 .documents = std::move(record.documents)};
  if (request.messages.is_array()) tokenizer::FitContent(loaded.content, request.messages);
  for (auto& [name, value] : record.variables) {
    if (name != "add_generation_prompt") {
      request.variables.emplace_back(name, value);
    } else if (value.is_bool()) {
      request.add_generation_prompt = value.as_bool();
    } else {
      return RecordError{name + " is " + value.KindName() + ", must be a boolean",
                         "chat_template_kwargs." + name};
    }
  }
  const auto prompt = loaded.chat.Render(request);
  if (!prompt.ok()) return RecordError{prompt.error().message, "messages"};
  auto ids = tokenizer.Encode(prompt->text, PromptEncoding(options, *prompt));
  if (!ids.ok()) return RecordError{ids.error().message, "messages"};
  io::ChatPromptIds result{std::move(*ids), loaded.tool_calls};
  if (!request.tools.is_null() && !loaded.knows_tools) {
    result.warnings.emplace_back("tools are given, but the chat template does not show them");
  }
  return result;
}

}  // namespace

Result<io::RenderChat> MakeChatRenderer(const Options& options,
                                        const tokenizer::Tokenizer& tokenizer) {
  const auto lazy = std::make_shared<LazyTemplate>();
  const auto load = [lazy, options] { lazy->chat = LoadChatTemplate(options); };
  if (!options.chat_template.empty()) {
    // A file that somebody named is wrong for the whole run, not for every record.
    std::call_once(lazy->once, load);
    if (!lazy->chat.ok()) return lazy->chat.error();
  }
  return io::RenderChat([lazy, load, options, &tokenizer](
                            io::ChatRecord record) -> Result<io::ChatPromptIds, RecordError> {
    std::call_once(lazy->once, load);
    if (!lazy->chat.ok()) return RecordError{lazy->chat.error().message, "messages"};
    return Render(*lazy->chat, tokenizer, options, std::move(record));
  });
}

tokenizer::EncodeOptions PromptEncoding(const Options& options,
                                        const tokenizer::ChatPrompt& prompt) {
  // The template wrote the special tokens; another BOS in front would be one too many.
  tokenizer::EncodeOptions encoding{.add_special_tokens = false};
  if (options.no_special_in_content) encoding.plain = prompt.user;
  return encoding;
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
