// The loop at the terminal: reads a line, answers it or does what a command says. Every error is a
// sentence, and the conversation stays as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/chat/answerer.h"
#include "cli/chat/chat_file.h"
#include "cli/chat/chat_signals.h"
#include "cli/chat/conversation.h"
#include "cli/chat/history_file.h"
#include "cli/chat/line_reader.h"
#include "cli/chat/parameters.h"
#include "cli/chat/screen.h"

namespace sglrun::cli {

// What belongs to a chat at a terminal, made by RunChat.
struct ChatRoom {
  Answerer& answerer;
  Screen& screen;
  ChatSignals& signals;
  Parameters& parameters;
  ThinkingMarkers thinking;
  std::uint64_t seed = 0;                    // answer k draws with seed + k
  std::function<std::string()> fingerprint;  // of the model
};

class Repl {
 public:
  Repl(ChatRoom room, LineReader& reader, HistoryFile& history, Conversation conversation);

  // Until the person leaves; gives the exit code.
  Result<int> Run();

 private:
  enum class Next { kGoOn, kLeave };

  TypedLine ReadLine();
  Next Take(const std::string& line);
  Next Execute(std::string_view line);
  void Ask(const std::string& message);
  // Lets the model answer `asked` and keeps both; false when nothing came of it. A former answer,
  // which is whole, gives way to a whole one only.
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
  void TellStats();
  void Report(const Status& status, const std::string& done);

  ChatRoom room_;
  LineReader& reader_;
  HistoryFile& history_;
  Conversation conversation_;
  bool in_message_ = false;  // between """ and """
  std::string own_file_;     // where the conversation was saved or loaded from
  std::uint64_t draws_ = 0;  // answers so far without a seed of their own, given up ones included
  std::uint64_t steps_ = 0;  // by which a seed that is set is exceeded, answering the same again
  std::int64_t answers_ = 0;
  AnswerCost last_, total_;
};

// Lets the answerer run under Ctrl+C, its text going to the screen.
Result<Answer> ShowAnswer(ChatRoom& room, const Conversation& asked, std::int64_t seed);

}  // namespace sglrun::cli
