#include "chat/slash_commands.h"

#include <algorithm>

#include "base/strings.h"
#include "chat/file_names.h"
#include "chat/parameters.h"
#include "console/wrap.h"
#include "request/fields.h"

namespace sglrun::chat {
namespace {

constexpr std::string_view kBlanks = " \t";

constexpr SlashSpec kTable[] = {
    {SlashCommand::kHelp, "/help", "", Operand::kNone, OperandKind::kText, "list the commands"},
    {SlashCommand::kSet, "/set", "NAME VALUE", Operand::kRequired, OperandKind::kParameter,
     "set a sampling parameter (null: to its default); without VALUE, explain it"},
    {SlashCommand::kShow, "/show", "", Operand::kNone, OperandKind::kText,
     "show the parameters, the system message and the conversation"},
    {SlashCommand::kSystem, "/system", "TEXT", Operand::kOptional, OperandKind::kText,
     "set the system message; without TEXT, remove it"},
    {SlashCommand::kRegen, "/regen", "", Operand::kNone, OperandKind::kText,
     "answer the last message again with another seed; a sampling_seed that is set is increased by "
     "1"},
    {SlashCommand::kUndo, "/undo", "", Operand::kNone, OperandKind::kText,
     "remove the last message and its answer"},
    {SlashCommand::kSave, "/save", "FILE", Operand::kRequired, OperandKind::kFile,
     "save the conversation and the parameters; overwrites only the file it wrote before"},
    {SlashCommand::kSaveOver, "/save!", "FILE", Operand::kRequired, OperandKind::kFile,
     "the same, but may overwrite any saved conversation"},
    {SlashCommand::kLoad, "/load", "FILE", Operand::kRequired, OperandKind::kFile,
     "continue a saved conversation, or a JSON array of messages"},
    {SlashCommand::kExport, "/export", "FILE", Operand::kRequired, OperandKind::kFile,
     "write each answer as a line from which sglrun batch generates the same tokens"},
    {SlashCommand::kSchema, "/schema", "FILE", Operand::kOptional, OperandKind::kFile,
     "constrain answers by the JSON Schema in a file; without FILE, remove the constraint"},
    {SlashCommand::kRegex, "/regex", "PATTERN", Operand::kOptional, OperandKind::kText,
     "constrain answers by a regular expression; without PATTERN, remove the constraint"},
    {SlashCommand::kLora, "/lora", "NAME", Operand::kOptional, OperandKind::kText,
     "answer with an adapter of --lora; without NAME, with the model alone"},
    {SlashCommand::kStats, "/stats", "", Operand::kNone, OperandKind::kText,
     "show tokens and speed"},
    {SlashCommand::kClear, "/clear", "", Operand::kNone, OperandKind::kText,
     "delete the conversation, but keep the system message and the parameters"},
    {SlashCommand::kQuit, "/quit", "", Operand::kNone, OperandKind::kText, "end the chat"},
};

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

const SlashSpec* FindSlash(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &SlashSpec::name);
  return found == std::end(kTable) ? nullptr : found;
}

Error UnknownSlash(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SlashSpec& spec : kTable) names.push_back(spec.name);
  const std::string nearest = NearestName(name, names);
  const std::string hint = nearest.empty() ? "" : ", did you mean " + nearest + "?";
  return Error{"no command " + request::ShortName(name) + hint +
               " (/help lists them; a message that begins with / is typed with //)"};
}

void KeepBeginning(std::string_view beginning, std::string_view word,
                   std::vector<std::string>& words) {
  if (word.starts_with(beginning)) words.emplace_back(word);
}

// Of a line that begins with the command.
Completions CompleteCommand(std::string_view before_cursor, const ListFiles& files) {
  Completions completions;
  if (!before_cursor.starts_with('/')) return completions;
  const std::size_t blank = before_cursor.find_first_of(kBlanks);
  if (blank == std::string_view::npos) {
    for (const SlashSpec& spec : kTable) {
      KeepBeginning(before_cursor, spec.name, completions.words);
    }
    return completions;
  }
  const SlashSpec* spec = FindSlash(before_cursor.substr(0, blank));
  if (spec == nullptr) return completions;
  completions.begin =
      std::min(before_cursor.find_first_not_of(kBlanks, blank), before_cursor.size());
  const std::string_view beginning = before_cursor.substr(completions.begin);
  if (spec->kind == OperandKind::kFile) {
    completions.words = files(beginning);
  } else if (spec->kind == OperandKind::kParameter) {
    for (const std::string_view name : Parameters::Names()) {
      KeepBeginning(beginning, name, completions.words);
    }
  }
  return completions;
}

}  // namespace

std::span<const SlashSpec> SlashTable() {
  return kTable;
}

Result<SlashLine> ParseSlashLine(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  const std::string_view name = line.substr(0, end);
  const std::string_view operand = Trimmed(line.substr(end));
  const SlashSpec* spec = FindSlash(name);
  if (spec == nullptr) return UnknownSlash(name);
  if (spec->need == Operand::kNone && !operand.empty()) {
    return Error{std::string(name) + " takes no operand, found \"" + request::ShortName(operand) +
                 "\""};
  }
  if (spec->need == Operand::kRequired && operand.empty()) {
    return Error{std::string(name) + " needs " + std::string(spec->operand)};
  }
  if (spec->kind == OperandKind::kFile && !operand.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(std::string file, TypedFileName(operand));
    return SlashLine{spec->command, std::move(file)};
  }
  return SlashLine{spec->command, std::string(operand)};
}

std::string SlashHelp(std::size_t width) {
  std::string text;
  for (const SlashSpec& spec : kTable) {
    std::string head(spec.name);
    if (!spec.operand.empty()) head += " " + std::string(spec.operand);
    // Next to each other if both fit.
    constexpr std::size_t kColumn = 18;
    if (width < 3 * kColumn) {
      text += head + "\n" + console::Wrap(spec.line, 2, width);
      continue;
    }
    std::string body = console::Wrap(spec.line, kColumn, width);
    body.replace(0, std::min(head.size(), kColumn - 1), head);
    text += body;
  }
  text += "\n";
  text += console::Wrap(
      "\"\"\" opens a message of several lines and closes it; several lines that are pasted are "
      "one "
      "message. The tab key completes commands, "
      "names "
      "of parameters and of files. The name of a file may stand in quotes, ~ is the home folder. "
      "Ctrl+C stops the answer, Ctrl+D leaves.",
      0, width);
  return text;
}

Completions CompleteSlash(std::string_view before_cursor, const ListFiles& files) {
  const std::size_t blanks =
      std::min(before_cursor.find_first_not_of(kBlanks), before_cursor.size());
  Completions completions = CompleteCommand(before_cursor.substr(blanks), files);
  completions.begin += blanks;
  return completions;
}

}  // namespace sglrun::chat
