// Where a chat is seen: answers on standard output; the prompt, sentences and what commands tell on
// the terminal, so that `sglrun chat > answers` holds answers alone.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/chat/thinking_splitter.h"

namespace sglrun::cli {

// Turns blanks into newlines so that no line is longer than `width`, as far as words let it.
std::string BreakLines(std::string_view text, std::size_t width);

class Screen {
 public:
  Screen();

  // A sentence, or lines, of the program's own, broken at blanks where a terminal is narrow.
  void Tell(std::string_view text);
  // Lines that somebody wrote.
  void TellAsWritten(std::string_view text);

  // A piece of an answer, as written by the model; what would command a terminal is spelled out on
  // one. `dim`: its thoughts.
  void ShowAnswer(std::string_view text, bool dim);
  // After the last piece: the answer ends with a newline.
  void EndAnswer();

  // Standard output took no more: closed, full. The rest of the answer has no reader.
  bool broken() const { return broken_; }
  int write_errno() const { return write_errno_; }

  std::FILE* talk() const { return talk_; }  // of the line editor
  std::size_t width() const;                 // columns of the terminal, 80 where there is none

 private:
  void Write(std::string_view text);

  std::FILE* talk_;
  bool answers_on_terminal_;
  bool has_colour_;
  bool at_line_start_ = true;
  bool broken_ = false;
  int write_errno_ = 0;
};

// The way of one answer to the screen.
class AnswerView {
 public:
  AnswerView(Screen& screen, const ThinkingMarkers& markers) : screen_(screen), markers_(markers) {}

  void Begin(std::string_view prompt);
  void Add(std::string_view piece);
  void End();

 private:
  Screen& screen_;
  const ThinkingMarkers markers_;
  ThinkingSplitter splitter_{{}, false};
};

}  // namespace sglrun::cli
