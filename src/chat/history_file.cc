#include "chat/history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/mapped_file.h"
#include "base/utf8.h"
#include "base/whole_file.h"

namespace sglrun::chat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kMostLineBytes = 2000;
constexpr std::size_t kShortenAbove = std::size_t{1} << 20;
// A history file never grows to this size, so this is another file.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

bool IsHistoryText(std::string_view text) {
  return IsValidUtf8(text) && text.find('\0') == std::string_view::npos;
}

std::vector<std::string> LastLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (FitsHistory(line)) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.size() > kMostLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMostLines));
  }
  return lines;
}

bool AppendTo(const std::string& path, int flags, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd < 0) return false;
  // One write: lines of several chats do not mix.
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(fd) == 0 && done;
}

// In one step: a chat that is killed meanwhile loses nothing.
void Shorten(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  // If the history cannot be shortened, the chat starts all the same.
  static_cast<void>(WriteWholeFile("the history", path, text));
}

}  // namespace

bool FitsHistory(std::string_view line) {
  return !line.empty() && line.size() <= kMostLineBytes;
}

std::string HistoryPath() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // The specification (XDG base directories, 0.8) has relative paths ignored.
  if (state != nullptr && *state == '/') return std::string(state) + "/sglrun/history";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return "";
  return std::string(home) + "/.local/state/sglrun/history";
}

HistoryFile::HistoryFile(std::string path) : path_(std::move(path)) {
  if (!Usable()) return;
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(path_, problem);
  if (status.type() == fs::file_type::not_found) {
    fs::create_directories(fs::path(path_).parent_path(), problem);
    return;
  }
  const auto text = status.type() == fs::file_type::regular ? ReadFile(path_, kMostBytes)
                                                            : Result<std::string>(Error{""});
  if (!text.ok() || !IsHistoryText(*text)) {
    path_.clear();
    return;
  }
  lines_ = LastLines(*text);
  if (text->size() > kShortenAbove) Shorten(path_, lines_);
}

void HistoryFile::Append(const std::string& line) {
  if (!Usable() || !FitsHistory(line)) return;
  if (line.find_first_of("\n\0", 0, 2) != std::string::npos) return;
  if (!AppendTo(path_, O_APPEND, line + "\n")) path_.clear();
}

}  // namespace sglrun::chat
