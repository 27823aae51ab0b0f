#include "chat/message_lines.h"

#include <utility>

namespace sglrun::chat {
namespace {

constexpr std::string_view kQuotes = "\"\"\"";

std::string_view WithoutTrailingBlanks(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

bool OpensSeveral(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with(kQuotes);
}

bool MessageLines::Add(std::string_view line) {
  if (open_) return AddInside(line);
  text_.clear();
  if (!OpensSeveral(line)) {
    text_ = line;
    return true;
  }
  open_ = true;
  line.remove_prefix(line.find(kQuotes) + kQuotes.size());
  // If only blanks follow the quotes, they are not a line of the message. (A pasted message has
  // more lines.)
  const std::size_t end = line.find('\n');
  if (end != std::string_view::npos && WithoutTrailingBlanks(line.substr(0, end)).empty()) {
    line.remove_prefix(end + 1);
  }
  return !WithoutTrailingBlanks(line).empty() && AddInside(line);
}

bool MessageLines::AddInside(std::string_view line) {
  const std::string_view trimmed = WithoutTrailingBlanks(line);
  const bool closes = trimmed.ends_with(kQuotes);
  if (closes) line = trimmed.substr(0, trimmed.size() - kQuotes.size());
  text_ += line;
  if (!closes) {
    text_ += '\n';
    return false;
  }
  open_ = false;
  if (text_.ends_with('\n')) text_.pop_back();
  return true;
}

std::string MessageLines::Take() {
  open_ = false;
  return std::exchange(text_, {});
}

}  // namespace sglrun::chat
