#include "cli/chat/repl.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "cli/chat/chat_file.h"
#include "cli/chat/message_lines.h"
#include "cli/chat/quiet_terminal.h"
#include "cli/chat/slash_commands.h"
#include "cli/exit_codes.h"
#include "cli/run_identity.h"

namespace sglrun::cli {
namespace {

constexpr std::size_t kMostSchemaBytes = std::size_t{16} << 20;

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// "1 line", "2,000 lines".
std::string Counted(std::int64_t count, const std::string& noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

std::string Rate(const AnswerCost& cost) {
  const double seconds = cost.total_s - cost.first_token_s;
  if (cost.output_tokens < 2 || seconds <= 0) return "";
  char text[48];
  std::snprintf(text, sizeof text, ", %.1f tokens/s",
                static_cast<double>(cost.output_tokens - 1) / seconds);
  return text;
}

std::string CostLine(const AnswerCost& cost) {
  return Counted(cost.prompt_tokens, "prompt token") + ", " + FormatCount(cost.cached_tokens) +
         " from the cache, " + FormatCount(cost.prompt_tokens - cost.cached_tokens) +
         " computed; " + Counted(cost.output_tokens, "token") + " in " + Seconds(cost.total_s);
}

}  // namespace

Result<Answer> ShowAnswer(ChatRoom& room, const Conversation& asked, std::uint64_t draw) {
  const QuietTerminal quiet;
  AnswerView view(room.screen, room.thinking);
  const AnswerWatch watch{.begin = [&](std::string_view prompt) { view.Begin(prompt); },
                          .text = [&](std::string_view piece) { view.Add(piece); },
                          .wants_stop =
                              [&] {
                                return room.signals.interrupted() ||
                                       room.signals.stop_code() != 0 || room.screen.broken();
                              }};
  const auto seed = static_cast<std::int64_t>(room.seed + draw);
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
    const bool several = in_message_ || typed.text.starts_with("\"\"\"");
    if (IsBlank(message)) continue;
    if (several) {
      Ask(message);
    } else if (Take(message) == Next::kLeave) {
      break;
    }
    if (room_.screen.broken()) break;
  }
  if (room_.screen.broken()) return kExitBrokenPipe;
  const int code = room_.signals.stop_code();
  return code != 0 ? code : kExitOk;
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
  // "//usr is a folder" is the message "/usr is a folder".
  if (line.starts_with("//")) {
    Ask(line.substr(1));
    return Next::kGoOn;
  }
  if (line.starts_with('/')) return Execute(line);
  Ask(line);
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
      Save(operand);
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
    case SlashCommand::kStats:
      TellStats();
      break;
    case SlashCommand::kClear:
      conversation_.Clear();
      room_.screen.Tell("The conversation is forgotten.");
      break;
    case SlashCommand::kQuit:
      return Next::kLeave;
  }
  return Next::kGoOn;
}

void Repl::Ask(const std::string& message) {
  Conversation asked = conversation_;
  asked.AddUser(message);
  AnswerTo(std::move(asked));
}

bool Repl::AnswerTo(Conversation asked) {
  Result<Answer> answer = ShowAnswer(room_, asked, draws_++);
  if (!answer.ok()) {
    room_.screen.Tell(answer.error().message);
    return false;
  }
  if (answer->cost.output_tokens == 0 && answer->end == Answer::End::kInterrupted) {
    room_.screen.Tell("(stopped before the answer began; nothing is kept of it)");
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
                        " tokens is full: /undo takes the last message back, /clear all)");
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

void Repl::Set(const std::string& operand) {
  // NAME VALUE, or NAME=VALUE as on the command line.
  const std::size_t end = std::min(operand.find_first_of(" \t="), operand.size());
  const std::string name = operand.substr(0, end);
  if (end < operand.size()) {
    const std::size_t value = operand[end] == '=' ? end + 1 : operand.find_first_not_of(" \t", end);
    const Status status = room_.parameters.Set(name, operand.substr(value));
    if (!status.ok()) {
      room_.screen.Tell(status.error().message);
      return;
    }
  }
  const Result<std::string> told = room_.parameters.Describe(name);
  room_.screen.Tell(told.ok() ? *told : told.error().message);
}

void Repl::Show() {
  Json::Object values = SamplingDefaultsJson(room_.parameters.effective()).as_object();
  for (const Json::Member& set : room_.parameters.set()) {
    std::erase_if(values, [&](const Json::Member& member) { return member.first == set.first; });
    values.push_back(set);
  }
  std::string text;
  for (const auto& [name, value] : values) text += name + " " + value.Excerpt(200) + "\n";
  for (const ChatMessage& message : conversation_.messages()) {
    text += "\n[" + message.role() + "]\n" + message.text() + "\n";
  }
  room_.screen.Tell(text);
}

void Repl::SetSystem(const std::string& text) {
  conversation_.SetSystem(text);
  room_.screen.Tell(text.empty() ? "There is no system text now." : "The system text is set.");
}

void Repl::Regenerate() {
  Conversation asked = conversation_;
  asked.DropAnswer();
  if (!asked.has_turns()) {
    room_.screen.Tell("There is no message to answer.");
    return;
  }
  AnswerTo(std::move(asked));
}

void Repl::Undo() {
  const std::optional<std::string> message = conversation_.Undo();
  room_.screen.Tell(message ? "Taken back: " + *message : "There is no message to take back.");
}

void Repl::Save(const std::string& path) {
  const SavedChat chat{conversation_, room_.parameters.set(), room_.fingerprint()};
  Report(WriteSavedChat(path, chat), "Saved to " + path + ".");
}

void Repl::Load(const std::string& path) {
  Result<SavedChat> chat = ReadSavedChat(path);
  if (!chat.ok()) {
    room_.screen.Tell(chat.error().message);
    return;
  }
  if (chat->messages_alone) {
    if (!chat->conversation.has_system()) chat->conversation.SetSystem(conversation_.system());
  } else if (const Status status = room_.parameters.Replace(chat->sampling); !status.ok()) {
    room_.screen.Tell(path + ": " + status.error().message);
    return;
  }
  conversation_ = std::move(chat->conversation);
  const auto count = static_cast<std::int64_t>(conversation_.messages().size());
  room_.screen.Tell("Loaded " + Counted(count, "message") + ".");
  if (!chat->model.empty() && chat->model != room_.fingerprint()) {
    conversation_.ForgetMakings();
    room_.screen.Tell(
        "They were made with another model: their texts stay, /export leaves them "
        "out.");
  }
  if (conversation_.has_turns() && conversation_.messages().back().role() == "user") {
    room_.screen.Tell("The last one has no answer yet: /regen answers it.");
  }
}

void Repl::Export(const std::string& path) {
  std::int64_t lines = 0, others = 0;
  for (const ChatMessage& message : conversation_.messages()) {
    if (message.role() != "assistant") continue;
    ++(message.making != nullptr ? lines : others);
  }
  if (lines == 0) {
    room_.screen.Tell("There is no answer of this model to export.");
    return;
  }
  std::string done = "Wrote " + Counted(lines, "line") + " to " + path +
                     ": sglrun batch makes the same tokens of them with the same model.";
  if (others > 0) done += " Left out: " + Counted(others, "answer") + " not made here.";
  Report(WriteReplay(path, conversation_), done);
}

void Repl::UseSchema(const std::string& path) {
  if (path.empty()) {
    Report(room_.parameters.SetConstraint(ConstraintKind::kJsonSchema, ""), "Answers are free.");
    return;
  }
  const Result<std::string> text = ReadFile(path, kMostSchemaBytes);
  if (!text.ok()) {
    room_.screen.Tell(text.error().message);
    return;
  }
  if (const auto json = ParseJson(*text); !json.ok()) {
    room_.screen.Tell(path + " is no JSON: " + json.error().message + " at byte " +
                      std::to_string(json.error().offset + 1));
    return;
  }
  Report(room_.parameters.SetConstraint(ConstraintKind::kJsonSchema, *text),
         "Answers follow the schema in " + path + ".");
}

void Repl::UseRegex(const std::string& pattern) {
  Report(room_.parameters.SetConstraint(ConstraintKind::kRegex, pattern),
         pattern.empty() ? "Answers are free." : "Answers match " + pattern + ".");
}

void Repl::TellStats() {
  if (answers_ == 0) {
    room_.screen.Tell("No answer yet; the context holds " +
                      FormatCount(room_.answerer.context_length()) + " tokens.");
    return;
  }
  std::string text = "last answer: " + CostLine(last_) + ", the first after " +
                     Seconds(last_.first_token_s) + Rate(last_) + "\n";
  text += "in all, " + Counted(answers_, "answer") + ": " + CostLine(total_) + "\n";
  text += "context: " + FormatCount(last_.prompt_tokens + last_.output_tokens) + " of " +
          FormatCount(room_.answerer.context_length()) + " tokens at the last answer's end";
  room_.screen.Tell(text);
}

}  // namespace sglrun::cli
