// The lines of earlier chats, for the arrow keys: $XDG_STATE_HOME/sglrun/history, or
// ~/.local/state/sglrun/history. A plain text file of one line each that only its owner reads. What
// goes wrong with it is no reason not to chat.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sglrun::cli {

// Longer lines, pasted and not typed, are in no history: libedit's search (Ctrl+R) takes time that
// grows with the square of a line's length, and hears no signal meanwhile.
bool FitsHistory(std::string_view line);

// "" when the environment names no home.
std::string HistoryPath();

class HistoryFile {
 public:
  // Reads the last lines of the file and keeps it from growing for ever. A file that is no text, or
  // no file at all, is left alone: nothing is read and nothing written.
  explicit HistoryFile(std::string path);

  const std::vector<std::string>& lines() const { return lines_; }
  // Appends; several chats at once each add their own.
  void Append(const std::string& line);

 private:
  bool Usable() const { return !path_.empty(); }

  std::string path_;  // "": none is kept
  std::vector<std::string> lines_;
};

}  // namespace sglrun::cli
