// Combines typed lines into a message: one line, all lines of a paste, or the lines between """ and
// """.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::chat {

// The line starts a message of several lines, which may end on the same line.
bool OpensSeveral(std::string_view line);

class MessageLines {
 public:
  // True when the message is complete.
  bool Add(std::string_view line);
  bool open() const { return open_; }
  // Of a complete message; the next Add begins another.
  std::string Take();

 private:
  bool AddInside(std::string_view line);

  bool open_ = false;
  std::string text_;
};

}  // namespace sglrun::chat
