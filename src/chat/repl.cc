#include "chat/repl.h"

#include <utility>

#include "base/strings.h"
#include "chat/message_lines.h"
#include "chat/quiet_terminal.h"
#include "chat/slash_commands.h"
#include "console/exit_codes.h"

namespace sglrun::chat {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Input of several lines is never a command, because code may begin with // and paths with /. The
// exception is /system, whose text may have several lines.
bool IsPastedMessage(const std::string& message) {
  if (message.find('\n') == std::string::npos) return false;
  const Result<SlashLine> line = ParseSlashLine(message);
  return !line.ok() || line->command != SlashCommand::kSystem;
}

}  // namespace

Result<Answer> ShowAnswer(ChatRoom& room, const Conversation& asked, std::int64_t seed) {
  const QuietTerminal quiet;
  AnswerView view(room.screen, room.thinking);
  const AnswerWatch watch{.begin = [&](std::string_view prompt) { view.Begin(prompt); },
                          .text = [&](std::string_view piece) { view.Add(piece); },
                          .wants_stop =
                              [&] {
                                return room.signals.interrupted() ||
                                       room.signals.stop_code() != 0 || room.screen.broken();
                              }};
  Result<Answer> answer = room.answerer.Run(asked, room.parameters, seed, watch);
  view.End();
  return answer;
}

Repl::Repl(ChatRoom room, LineReader& reader, HistoryFile& history, Conversation conversation)
    : room_(std::move(room)),
      reader_(reader),
      history_(history),
      conversation_(std::move(conversation)) {}

Result<int> Repl::Run() {
  MessageLines lines;
  while (true) {
    in_message_ = lines.open();
    const TypedLine typed = ReadLine();
    if (typed.end == TypedLine::End::kInterrupt) {
      lines.Take();
      continue;
    }
    if (typed.end != TypedLine::End::kLine) break;
    if (!lines.Add(typed.text)) continue;
    const std::string message = lines.Take();
    const bool several = in_message_ || OpensSeveral(typed.text) || IsPastedMessage(message);
    if (IsBlank(message)) continue;
    if (several) {
      Ask(message);
    } else if (Take(message) == Next::kLeave) {
      break;
    }
    if (room_.screen.broken()) break;
  }
  if (room_.screen.broken()) return console::kExitBrokenPipe;
  const int code = room_.signals.stop_code();
  return code != 0 ? code : console::kExitOk;
}

TypedLine Repl::ReadLine() {
  room_.signals.TakeInterrupt();
  TypedLine typed = reader_.Read(in_message_ ? "... " : "> ");
  if (typed.end == TypedLine::End::kLine && !IsBlank(typed.text)) {
    reader_.Remember(typed.text);
    history_.Append(typed.text);
  }
  return typed;
}

Repl::Next Repl::Take(const std::string& line) {
  const std::string typed = line.substr(line.find_first_not_of(" \t"));
  if (!typed.starts_with('/')) {
    Ask(line);
    return Next::kGoOn;
  }
  // "//usr is a folder" is the message "/usr is a folder".
  if (!typed.starts_with("//")) return Execute(typed);
  Ask(typed.substr(1));
  return Next::kGoOn;
}

Repl::Next Repl::Execute(std::string_view line) {
  const Result<SlashLine> parsed = ParseSlashLine(line);
  if (!parsed.ok()) {
    room_.screen.Tell(parsed.error().message);
    return Next::kGoOn;
  }
  const std::string& operand = parsed->operand;
  switch (parsed->command) {
    case SlashCommand::kHelp:
      room_.screen.Tell(SlashHelp(room_.screen.width()));
      break;
    case SlashCommand::kSet:
      Set(operand);
      break;
    case SlashCommand::kShow:
      Show();
      break;
    case SlashCommand::kSystem:
      SetSystem(operand);
      break;
    case SlashCommand::kRegen:
      Regenerate();
      break;
    case SlashCommand::kUndo:
      Undo();
      break;
    case SlashCommand::kSave:
      Save(operand, Replace::kNothing);
      break;
    case SlashCommand::kSaveOver:
      Save(operand, Replace::kSavedChat);
      break;
    case SlashCommand::kLoad:
      Load(operand);
      break;
    case SlashCommand::kExport:
      Export(operand);
      break;
    case SlashCommand::kSchema:
      UseSchema(operand);
      break;
    case SlashCommand::kRegex:
      UseRegex(operand);
      break;
    case SlashCommand::kLora:
      UseAdapter(operand);
      break;
    case SlashCommand::kStats:
      TellStats();
      break;
    case SlashCommand::kClear:
      conversation_.Clear();
      own_file_.clear();
      room_.screen.Tell("The conversation is deleted.");
      break;
    case SlashCommand::kQuit:
      return Next::kLeave;
  }
  return Next::kGoOn;
}

void Repl::Ask(const std::string& message) {
  Conversation asked = conversation_;
  asked.AddUser(message);
  steps_ = 0;
  AnswerTo(std::move(asked), NextSeed());
}

std::int64_t Repl::NextSeed() {
  const auto fixed = room_.parameters.effective().sampling_seed;
  const std::uint64_t seed =
      fixed ? static_cast<std::uint64_t>(*fixed) + steps_ : room_.seed + draws_++;
  return static_cast<std::int64_t>(seed);
}

bool Repl::AnswerTo(Conversation asked, std::int64_t seed, bool has_former) {
  Result<Answer> answer = ShowAnswer(room_, asked, seed);
  if (!answer.ok()) {
    room_.screen.Tell(answer.error().message);
    return false;
  }
  if (answer->cost.output_tokens == 0 && answer->end == Answer::End::kInterrupted) {
    room_.screen.Tell("(stopped before the answer began)");
    return false;
  }
  if (has_former && answer->end == Answer::End::kInterrupted) {
    room_.screen.Tell("(stopped; the previous answer is kept)");
    return false;
  }
  asked.AddAnswer(answer->text, answer->making);
  conversation_ = std::move(asked);
  last_ = answer->cost;
  ++answers_;
  total_.prompt_tokens += last_.prompt_tokens;
  total_.cached_tokens += last_.cached_tokens;
  total_.output_tokens += last_.output_tokens;
  total_.total_s += last_.total_s;
  TellEnd(*answer);
  return true;
}

void Repl::TellEnd(const Answer& answer) {
  switch (answer.end) {
    case Answer::End::kStop:
      if (answer.text.empty()) room_.screen.Tell("(an empty answer)");
      break;
    case Answer::End::kLength:
      room_.screen.Tell("(ended by max_new_tokens, " + FormatCount(answer.cost.output_tokens) +
                        ")");
      break;
    case Answer::End::kContextFull:
      room_.screen.Tell("(the context of " + FormatCount(room_.answerer.context_length()) +
                        " tokens is full: /undo removes the last message, /clear all)");
      break;
    case Answer::End::kInterrupted:
      room_.screen.Tell("(stopped)");
      break;
  }
  if (answer.incomplete) room_.screen.Tell("(the constraint is not satisfied yet)");
}

void Repl::Report(const Status& status, const std::string& done) {
  room_.screen.Tell(status.ok() ? done : status.error().message);
}

}  // namespace sglrun::chat
