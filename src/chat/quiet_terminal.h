// Hides keys that are pressed while an answer is written; they appear at the next prompt.
#pragma once

#include <termios.h>

namespace sglrun::chat {

class QuietTerminal {
 public:
  QuietTerminal();
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;
  ~QuietTerminal();

 private:
  termios former_ = {};
  bool changed_ = false;
};

}  // namespace sglrun::chat
