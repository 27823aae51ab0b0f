// While an answer is written, keys that are pressed do not appear in the middle of it; they come
// back at the next prompt.
#pragma once

#include <termios.h>

namespace sglrun::cli {

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

}  // namespace sglrun::cli
