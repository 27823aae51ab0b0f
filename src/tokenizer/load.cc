#include <algorithm>
#include <filesystem>

#include "base/mapped_file.h"
#include "tokenizer/is_there.h"
#include "tokenizer/merges_file.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tekken_file.h"
#include "tokenizer/tiktoken_file.h"
#include "tokenizer/tokenizer_config.h"
#include "tokenizer/tokenizer_json.h"

namespace sglrun::tokenizer {
namespace {

namespace fs = std::filesystem;

bool LooksLikeJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

// Describes a placeholder of a file that was not downloaded, as the end of an error message;
// nullptr if the content may be the file.
const char* FaultOfDownload(std::string_view text) {
  if (text.empty()) return " is empty";
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    return " is a pointer of Git LFS and not the file itself: `git lfs pull` fetches it";
  }
  std::string beginning(text.substr(0, 64));
  beginning.erase(0, std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  for (char& c : beginning) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool is_page = beginning.starts_with("<!doctype") || beginning.starts_with("<html");
  return is_page ? " is a web page and not a tokenizer: the download failed" : nullptr;
}

// "tekken.json", "tekken_240911.json".
bool IsTekkenName(const std::string& name) {
  return name.starts_with("tekken") && name.ends_with(".json");
}

// The file of a directory that holds the tokenizer.
Result<fs::path> FindFile(const fs::path& directory) {
  for (const char* name : {"tokenizer.json", "tokenizer.model", "tekken.json", "tiktoken.model"}) {
    if (IsThere(directory / name)) return directory / name;
  }
  if (IsThere(directory / "vocab.json") && IsThere(directory / "merges.txt")) {
    return directory / "vocab.json";
  }
  std::vector<fs::path> tiktoken;
  std::error_code ignored;
  for (fs::directory_iterator at(directory, ignored), end; at != end; at.increment(ignored)) {
    if (at->path().extension() == ".tiktoken") tiktoken.push_back(at->path());
  }
  if (tiktoken.size() == 1) return tiktoken[0];
  return Error{directory.string() +
               (tiktoken.empty() ? " holds none of tokenizer.json, tokenizer.model, tekken.json, "
                                   "tiktoken.model, vocab.json with merges.txt, and a .tiktoken "
                                   "file"
                                 : " holds several .tiktoken files: name one of them")};
}

Result<std::unique_ptr<Tokenizer>> FromMerges(const std::string& vocab_json, const fs::path& file,
                                              const TokenizerConfig& config) {
  const std::string directory = file.parent_path().string();
  SGLRUN_ASSIGN_OR_RETURN(const std::string merges,
                          ReadFile((file.parent_path() / "merges.txt").string()));
  SGLRUN_ASSIGN_OR_RETURN(const std::string model_type, ReadModelType(directory));
  return TokenizerFromMerges(vocab_json, merges, model_type, config);
}

// By the name of the file where its content could be more than one thing.
Result<std::unique_ptr<Tokenizer>> FromText(const std::string& text, const fs::path& file,
                                            const TokenizerConfig& config) {
  const std::string name = file.filename().string();
  if (name == "vocab.json") return FromMerges(text, file, config);
  if (IsTekkenName(name)) return TokenizerFromTekken(text, config);
  if (LooksLikeJson(text) || file.extension() == ".json") return TokenizerFromJson(text, config);
  if (!LooksLikeTiktoken(text) && file.extension() != ".tiktoken") {
    return TokenizerFromSentencePiece(text, config);
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string model_type, ReadModelType(file.parent_path().string()));
  return TokenizerFromTiktoken(text, name, model_type, config);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::Load(const std::string& path) {
  fs::path file(path);
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    SGLRUN_ASSIGN_OR_RETURN(file, FindFile(file));
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.string()));
  if (const char* const fault = FaultOfDownload(text)) return Error{file.string() + fault};
  SGLRUN_ASSIGN_OR_RETURN(const TokenizerConfig config,
                          ReadTokenizerConfig(file.parent_path().string()));
  Result<std::unique_ptr<Tokenizer>> tokenizer = FromText(text, file, config);
  if (!tokenizer.ok()) return Error{file.string() + ": " + tokenizer.error().message};
  return tokenizer;
}

std::vector<std::string> Tokenizer::FilesOf(const std::string& path) {
  fs::path file(path);
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    const Result<fs::path> found = FindFile(file);
    if (!found.ok()) return {};
    file = *found;
  }
  std::vector<std::string> out = {file.string()};
  for (const char* name : {"merges.txt", "tokenizer_config.json", "special_tokens_map.json",
                           "added_tokens.json", "config.json"}) {
    const fs::path beside = file.parent_path() / name;
    if (fs::exists(beside, ignored)) out.push_back(beside.string());
  }
  return out;
}

}  // namespace sglrun::tokenizer
