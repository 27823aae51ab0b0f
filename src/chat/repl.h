// The loop at the terminal: reads a line, and answers it or runs a command. An error is reported
// and leaves the conversation unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "chat/answerer.h"
#include "chat/chat_file.h"
#include "chat/chat_signals.h"
#include "chat/conversation.h"
#include "chat/history_file.h"
#include "chat/line_reader.h"
#include "chat/parameters.h"
#include "chat/screen.h"

namespace sglrun::chat {

// What belongs to a chat at a terminal, made by RunChat.
struct ChatRoom {
  Answerer& answerer;
  Screen& screen;
  ChatSignals& signals;
  Parameters& parameters;
  ThinkingMarkers thinking;
  std::vector<std::string> adapters = {};    // their names
  std::uint64_t seed = 0;                    // answer k draws with seed + k
  std::function<std::string()> fingerprint;  // of the model
};

class Repl {
 public:
  Repl(ChatRoom room, LineReader& reader, HistoryFile& history, Conversation conversation);

  // Runs until the user ends the chat; returns the exit code.
  Result<int> Run();

 private:
  enum class Next { kGoOn, kLeave };

  TypedLine ReadLine();
  Next Take(const std::string& line);
  Next Execute(std::string_view line);
  void Ask(const std::string& message);
  // Lets the model answer `asked` and stores both; false if there is no answer. A previous complete
  // answer is replaced by a complete answer only.
  bool AnswerTo(Conversation asked, std::int64_t seed, bool has_former = false);
  // Of the next answer.
  std::int64_t NextSeed();
  void TellEnd(const Answer& answer);

  void Set(const std::string& operand);
  void Show();
  void SetSystem(const std::string& text);
  void Regenerate();
  void Undo();
  void Save(const std::string& path, Replace replace);
  void Load(const std::string& path);
  void TakeOver(SavedChat chat);
  void Export(const std::string& path);
  void UseSchema(const std::string& path);
  void UseRegex(const std::string& pattern);
  void UseAdapter(const std::string& name);
  void TellStats();
  void Report(const Status& status, const std::string& done);

  ChatRoom room_;
  LineReader& reader_;
  HistoryFile& history_;
  Conversation conversation_;
  bool in_message_ = false;  // between """ and """
  std::string own_file_;     // where the conversation was saved or loaded from
  std::uint64_t draws_ = 0;  // answers so far without their own seed, including abandoned ones
  std::uint64_t steps_ = 0;  // added to a seed that is set when the same message is answered again
  std::int64_t answers_ = 0;
  AnswerCost last_, total_;
};

// Runs the answerer so that Ctrl+C stops it, and writes its text to the screen.
Result<Answer> ShowAnswer(ChatRoom& room, const Conversation& asked, std::int64_t seed);

}  // namespace sglrun::chat
