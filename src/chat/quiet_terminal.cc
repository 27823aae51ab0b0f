#include "chat/quiet_terminal.h"

#include <unistd.h>

namespace sglrun::chat {

QuietTerminal::QuietTerminal() {
  if (::tcgetattr(STDIN_FILENO, &former_) != 0) return;
  termios quiet = former_;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  changed_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) == 0;
}

QuietTerminal::~QuietTerminal() {
  if (changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &former_);
}

}  // namespace sglrun::chat
