#include "chat/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/printable.h"

namespace sglrun::chat {
namespace {

constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kPlain = "\033[0m";

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// https://no-color.org: any value but an empty one means no.
bool WantsColour() {
  const char* terminal = std::getenv("TERM");
  return !IsSet("NO_COLOR") && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

std::string BreakLines(std::string_view text, std::size_t width) {
  std::string out(text);
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = std::min(out.find('\n', begin), out.size());
    const std::size_t word = std::min(out.find_first_not_of(' ', begin), end);
    if (end - begin > width) {
      std::size_t blank = out.rfind(' ', begin + width);
      if (blank == std::string::npos || blank < word)
        blank = out.find(' ', std::max(begin + width, word));
      if (blank < end) {
        out[blank] = '\n';
        begin = blank + 1;
        continue;
      }
    }
    begin = end + 1;
  }
  return out;
}

Screen::Screen() : talk_(stderr), answers_on_terminal_(::isatty(STDOUT_FILENO) == 1) {
  has_colour_ = answers_on_terminal_ && WantsColour();
  if (answers_on_terminal_) talk_ = stdout;
}

void Screen::Write(std::string_view text) {
  if (broken_) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  broken_ = true;
  write_errno_ = errno;
}

void Screen::Tell(std::string_view text) {
  const bool on_terminal = ::isatty(::fileno(talk_)) == 1;
  TellAsWritten(on_terminal ? BreakLines(text, width()) : std::string(text));
}

void Screen::TellAsWritten(std::string_view text) {
  const std::string line = PrintableText(text);
  std::fwrite(line.data(), 1, line.size(), talk_);
  if (!line.ends_with('\n')) std::fputc('\n', talk_);
  std::fflush(talk_);
}

void Screen::ShowAnswer(std::string_view text, bool dim) {
  if (text.empty()) return;
  const bool coloured = dim && has_colour_;
  if (coloured) Write(kDim);
  Write(answers_on_terminal_ ? PrintableText(text) : text);
  if (coloured) Write(kPlain);
  at_line_start_ = text.back() == '\n';
  if (!broken_ && std::fflush(stdout) != 0) {
    broken_ = true;
    write_errno_ = errno;
  }
}

void Screen::EndAnswer() {
  if (!at_line_start_) ShowAnswer("\n", false);
}

std::size_t Screen::width() const {
  winsize size = {};
  if (::ioctl(::fileno(talk_), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void AnswerView::Begin(std::string_view prompt) {
  // If only the end marker of thoughts is known, an answer begins with thoughts.
  const bool inside = markers_.begin.empty() || OpensThinking(prompt, markers_);
  splitter_ = ThinkingSplitter(markers_, inside);
}

void AnswerView::Add(std::string_view piece) {
  splitter_.Feed(piece, [this](std::string_view text, bool dim) { screen_.ShowAnswer(text, dim); });
}

void AnswerView::End() {
  splitter_.Finish([this](std::string_view text, bool dim) { screen_.ShowAnswer(text, dim); });
  screen_.EndAnswer();
}

}  // namespace sglrun::chat
