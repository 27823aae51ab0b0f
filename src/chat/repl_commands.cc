// What the commands of a chat do.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "chat/chat_file.h"
#include "chat/repl.h"
#include "run/identity.h"

namespace sglrun::chat {
namespace {

constexpr std::size_t kMostSchemaBytes = std::size_t{16} << 20;

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

std::int64_t SeedOf(const Making& making) {
  for (const auto& [name, value] : making.sampling) {
    if (name == "sampling_seed" && value.is_int()) return value.as_int();
  }
  return 0;
}

std::string CostLine(const AnswerCost& cost) {
  return Counted(cost.prompt_tokens, "prompt token") + ", " + FormatCount(cost.cached_tokens) +
         " from the cache, " + FormatCount(cost.prompt_tokens - cost.cached_tokens) +
         " computed; " + Counted(cost.output_tokens, "token") + " in " + Seconds(cost.total_s);
}

// The same file has one path, regardless of how it was named.
std::string FullPath(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string();
}

}  // namespace

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
    steps_ = 0;
  }
  const Result<std::string> told = room_.parameters.Describe(name);
  room_.screen.Tell(told.ok() ? *told : told.error().message);
}

void Repl::Show() {
  Json::Object values = run::SamplingDefaultsJson(room_.parameters.effective()).as_object();
  for (const Json::Member& set : room_.parameters.set()) {
    std::erase_if(values, [&](const Json::Member& member) { return member.first == set.first; });
    values.push_back(set);
  }
  std::string text;
  for (const auto& [name, value] : values) text += name + " " + value.Excerpt(200) + "\n";
  room_.screen.Tell(text);
  text.clear();
  for (const ChatMessage& message : conversation_.messages()) {
    text += "\n[" + message.role() + "]\n" + message.text() + "\n";
  }
  if (!text.empty()) room_.screen.TellAsWritten(text);
}

void Repl::SetSystem(const std::string& text) {
  conversation_.SetSystem(text);
  room_.screen.Tell(text.empty() ? "The system message is removed." : "The system message is set.");
}

void Repl::Regenerate() {
  const auto before = conversation_.empty() ? nullptr : conversation_.messages().back().making;
  Conversation asked = conversation_;
  const bool has_former = asked.DropAnswer();
  if (!asked.has_turns()) {
    room_.screen.Tell("There is no message to answer.");
    return;
  }
  std::int64_t seed = NextSeed();
  // The same seed would give the same answer to the same messages.
  while (before != nullptr && seed == SeedOf(*before)) {
    ++steps_;
    seed = NextSeed();
  }
  if (!AnswerTo(std::move(asked), seed, has_former)) return;
  const SamplingParams& parameters = room_.parameters.effective();
  if (parameters.top_k == 1) {
    room_.screen.Tell("(greedy decoding, so the seed has no effect: temperature is 0 or top_k 1)");
  } else if (parameters.sampling_seed && steps_ > 0) {
    room_.screen.Tell("(drawn with sampling_seed " + std::to_string(seed) + ", not again with " +
                      std::to_string(*parameters.sampling_seed) + ")");
  }
}

void Repl::Undo() {
  const std::optional<std::string> message = conversation_.Undo();
  room_.screen.TellAsWritten(message ? "Removed: " + *message : "There is no message to remove.");
}

void Repl::Save(const std::string& path, Replace replace) {
  if (FullPath(path) == own_file_) replace = Replace::kSavedChat;
  const SavedChat chat{conversation_, room_.parameters.set(), room_.fingerprint()};
  const Status status = WriteSavedChat(path, chat, replace);
  if (status.ok()) own_file_ = FullPath(path);
  Report(status, "Saved to " + path + ".");
}

void Repl::Load(const std::string& path) {
  Result<SavedChat> chat = ReadSavedChat(path);
  if (!chat.ok()) {
    room_.screen.Tell(chat.error().message);
    return;
  }
  const bool is_empty = chat->conversation.empty();
  if (is_empty && chat->messages_alone) {
    room_.screen.Tell(path +
                      " holds no message; the conversation is unchanged, /clear deletes it.");
    return;
  }
  const bool keeps_system =
      chat->messages_alone && !chat->conversation.has_system() && conversation_.has_system();
  if (chat->messages_alone) {
    if (keeps_system) chat->conversation.SetSystem(conversation_.system());
  } else if (const Status status = room_.parameters.Replace(chat->sampling); !status.ok()) {
    room_.screen.Tell(path + ": " + status.error().message);
    return;
  }
  steps_ = 0;
  if (is_empty) {
    room_.screen.Tell(path +
                      " holds no message: its parameters are set, the conversation is unchanged.");
    return;
  }
  TakeOver(*std::move(chat));
  if (keeps_system) room_.screen.Tell("The system message is unchanged.");
  own_file_ = FullPath(path);
}

void Repl::TakeOver(SavedChat chat) {
  const auto before = static_cast<std::int64_t>(conversation_.messages().size());
  const bool had_turns = conversation_.has_turns();
  conversation_ = std::move(chat.conversation);
  const auto count = static_cast<std::int64_t>(conversation_.messages().size());
  room_.screen.Tell("Loaded " + Counted(count, "message") +
                    (had_turns ? " in place of " + FormatCount(before) : "") + ".");
  if (!chat.model.empty() && chat.model != room_.fingerprint()) {
    conversation_.ForgetMakings();
    room_.screen.Tell(
        "They were generated by another model: their texts are kept, but /export leaves them out.");
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
                     ": with the same model, sglrun batch generates the same tokens from them.";
  if (others > 0)
    done += " Left out: " + Counted(others, "answer") + " that this chat did not generate.";
  Report(WriteReplay(path, conversation_), done);
}

void Repl::UseSchema(const std::string& path) {
  if (path.empty()) {
    Report(room_.parameters.SetConstraint(ConstraintKind::kJsonSchema, ""),
           "Answers are not constrained.");
    return;
  }
  const Result<std::string> text = ReadFile(path, kMostSchemaBytes);
  if (!text.ok()) {
    room_.screen.Tell(text.error().message);
    return;
  }
  if (const auto json = ParseJson(*text); !json.ok()) {
    room_.screen.Tell(path + " is not valid JSON: " + json.error().message + " at byte " +
                      std::to_string(json.error().offset + 1));
    return;
  }
  Report(room_.parameters.SetConstraint(ConstraintKind::kJsonSchema, *text),
         "Answers must satisfy the schema in " + path + ".");
}

void Repl::UseRegex(const std::string& pattern) {
  Report(room_.parameters.SetConstraint(ConstraintKind::kRegex, pattern),
         pattern.empty() ? "Answers are not constrained." : "Answers match " + pattern + ".");
}

void Repl::UseAdapter(const std::string& name) {
  if (!name.empty() && std::ranges::find(room_.adapters, name) == room_.adapters.end()) {
    std::string known;
    for (const std::string& one : room_.adapters) known += (known.empty() ? "" : ", ") + one;
    room_.screen.Tell("There is no adapter " + name + "; " +
                      (known.empty() ? "--lora NAME=DIR names one." : "there are: " + known + "."));
    return;
  }
  room_.parameters.SetAdapter(name);
  room_.screen.Tell(name.empty() ? "The model answers without an adapter."
                                 : "The model answers with the adapter " + name + ".");
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

}  // namespace sglrun::chat
