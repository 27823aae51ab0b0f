// The output of a chat: answers go to standard output; the prompt and messages go to the terminal,
// so that `sglrun chat > answers` writes answers only.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "chat/thinking_splitter.h"

namespace sglrun::chat {

// Turns blanks into newlines so that lines are at most `width` long, unless a word is longer.
std::string BreakLines(std::string_view text, std::size_t width);

class Screen {
 public:
  Screen();

  // Writes a message of the program, wrapped at blanks to the width of the terminal.
  void Tell(std::string_view text);
  // Writes lines of the user unchanged.
  void TellAsWritten(std::string_view text);

  // A piece of an answer as the model wrote it; on a terminal, control characters are escaped.
  // `dim`: the piece is part of the thoughts.
  void ShowAnswer(std::string_view text, bool dim);
  // After the last piece: the answer ends with a newline.
  void EndAnswer();

  // Writing to standard output failed (closed or full), so the rest of the answer need not be
  // generated.
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

// Writes one answer to the screen.
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

}  // namespace sglrun::chat
