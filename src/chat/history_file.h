// The lines of earlier chats, for the arrow keys: $XDG_STATE_HOME/sglrun/history, or
// ~/.local/state/sglrun/history. A plain text file of one line each that only its owner reads.
// Errors of the history file do not prevent a chat.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sglrun::chat {

// Longer lines, which are pasted and not typed, are not added: the search of libedit (Ctrl+R) takes
// time quadratic in the length of a line and cannot be interrupted by a signal.
bool FitsHistory(std::string_view line);

// "" when the environment names no home.
std::string HistoryPath();

class HistoryFile {
 public:
  // Reads the last lines of the file and limits its size. If the path is not a text file, it is
  // neither read nor written.
  explicit HistoryFile(std::string path);

  const std::vector<std::string>& lines() const { return lines_; }
  // Appends; several chats at once each add their own.
  void Append(const std::string& line);

 private:
  bool Usable() const { return !path_.empty(); }

  std::string path_;  // "": none is kept
  std::vector<std::string> lines_;
};

}  // namespace sglrun::chat
