// Lines typed by the user. On a terminal that can move its cursor they are edited with libedit,
// with history and tab completion. Otherwise they are read unchanged.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_signals.h"
#include "chat/slash_commands.h"

namespace sglrun::chat {

struct TypedLine {
  enum class End { kLine, kInterrupt, kEndOfInput, kLeave };
  End end = End::kLine;
  std::string text;  // valid UTF-8, of a kLine; a pasted text of several lines is one
};

class LineReader {
 public:
  using Complete = std::function<Completions(std::string_view before_cursor)>;

  struct Setup {
    std::FILE* talk = nullptr;  // where the prompt is shown
    ChatSignals* signals = nullptr;
    std::vector<std::string> history;  // oldest first
    Complete complete;
  };
  // Edits when both standard input and `talk` are terminals and TERM names a capable one.
  static std::unique_ptr<LineReader> Make(Setup setup);

  virtual ~LineReader() = default;
  virtual TypedLine Read(std::string_view prompt) = 0;
  // The line can be found again with the arrow keys.
  virtual void Remember(const std::string& line) = 0;
};

// Waits until standard input has a byte, ends, or a signal arrives.
enum class KeyWait { kReady, kSignal };
KeyWait WaitForKey(ChatSignals& signals);

std::unique_ptr<LineReader> MakeEditingReader(LineReader::Setup setup);  // nullptr: not possible

}  // namespace sglrun::chat
