#include <cctype>
#include <filesystem>

#include "base/mapped_file.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer_config.h"
#include "tokenizer/tokenizer_json.h"

namespace sglrun::tokenizer {
namespace {

bool LooksLikeJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

// Lines of base64, a space and a rank.
bool LooksLikeTiktoken(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 >= line.size()) return false;
  const auto is_base64 = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/' || c == '=';
  };
  for (std::size_t i = 0; i < space; ++i) {
    if (!is_base64(line[i])) return false;
  }
  return line.find_first_not_of("0123456789\r", space + 1) == std::string_view::npos;
}

// The file of a directory that holds the tokenizer.
Result<std::filesystem::path> FindFile(const std::filesystem::path& directory) {
  for (const char* name : {"tokenizer.json", "tokenizer.model"}) {
    if (std::filesystem::exists(directory / name)) return directory / name;
  }
  const std::string where = directory.string();
  if (std::filesystem::exists(directory / "merges.txt")) {
    return Error{where +
                 " holds merges.txt but no tokenizer.json: convert the tokenizer with "
                 "transformers' save_pretrained"};
  }
  return Error{where + " holds neither tokenizer.json nor tokenizer.model"};
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::Load(const std::string& path) {
  std::filesystem::path file(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    SGLRUN_ASSIGN_OR_RETURN(file, FindFile(file));
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.string()));
  SGLRUN_ASSIGN_OR_RETURN(const TokenizerConfig config,
                          ReadTokenizerConfig(file.parent_path().string()));
  if (LooksLikeTiktoken(text)) {
    return Error{file.string() +
                 " is a tiktoken vocabulary, which names no pattern and no special "
                 "tokens: use the tokenizer.json of the model"};
  }
  Result<std::unique_ptr<Tokenizer>> tokenizer = LooksLikeJson(text)
                                                     ? TokenizerFromJson(text, config)
                                                     : TokenizerFromSentencePiece(text, config);
  if (!tokenizer.ok()) return Error{file.string() + ": " + tokenizer.error().message};
  return tokenizer;
}

}  // namespace sglrun::tokenizer
