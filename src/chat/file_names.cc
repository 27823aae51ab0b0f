#include "chat/file_names.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace sglrun::chat {
namespace {

// A folder with more is not listed on a terminal.
constexpr std::size_t kMostFiles = 1000;

bool IsQuote(char c) {
  return c == '"' || c == '\'';
}

// Without quotes.
Result<std::string> WithHome(std::string_view name) {
  if (name != "~" && !name.starts_with("~/")) return std::string(name);
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return Error{"~ is the home folder, which the environment does not name (HOME)"};
  }
  return home + std::string(name.substr(1));
}

}  // namespace

Result<std::string> TypedFileName(std::string_view text) {
  if (text.empty() || !IsQuote(text[0])) return WithHome(text);
  if (text.size() > 2 && text.back() == text[0]) {
    return WithHome(text.substr(1, text.size() - 2));
  }
  return Error{"the name begins with " + std::string(1, text[0]) + " and does not end with it"};
}

std::vector<std::string> FilesBeginningWith(std::string_view beginning) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::string quote;
  if (!beginning.empty() && IsQuote(beginning[0])) {
    quote = beginning[0];
    beginning.remove_prefix(1);
  }
  const std::size_t slash = beginning.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : beginning.substr(0, slash + 1));
  const std::string_view name = beginning.substr(folder.size());
  const Result<std::string> place = WithHome(folder);
  if (!place.ok()) return found;
  std::error_code problem;
  for (fs::directory_iterator at(place->empty() ? "." : *place, problem), end;
       !problem && at != end && found.size() < kMostFiles; at.increment(problem)) {
    const std::string file = at->path().filename().string();
    if (!file.starts_with(name) || (name.empty() && file.starts_with('.'))) continue;
    std::error_code ignored;
    const std::string tail = at->is_directory(ignored) ? "/" : quote;
    found.push_back(quote + folder + file + tail);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace sglrun::chat
