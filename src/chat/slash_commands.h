// The commands of a chat, which begin with a slash. Parsing, /help and tab completion use the same
// table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::chat {

enum class SlashCommand {
  kHelp,
  kSet,
  kShow,
  kSystem,
  kRegen,
  kUndo,
  kSave,
  kSaveOver,
  kLoad,
  kExport,
  kSchema,
  kRegex,
  kLora,
  kStats,
  kClear,
  kQuit,
};

enum class Operand { kNone, kOptional, kRequired };
enum class OperandKind { kText, kFile, kParameter };

struct SlashSpec {
  SlashCommand command;
  std::string_view name;     // "/set"
  std::string_view operand;  // "NAME VALUE", "" for none
  Operand need = Operand::kNone;
  OperandKind kind = OperandKind::kText;
  std::string_view line;  // what it does
};

std::span<const SlashSpec> SlashTable();

// A line that begins with a slash: its command, and the operand without surrounding blanks. In a
// file name, quotes are removed and ~ is expanded.
struct SlashLine {
  SlashCommand command;
  std::string operand;
};
// The error names the nearest command if the command is unknown, and says if an operand is missing
// or not allowed.
Result<SlashLine> ParseSlashLine(std::string_view line);

// The text of /help, no line wider than `width`.
std::string SlashHelp(std::size_t width);

// The completions of the text before the cursor: words that can replace its bytes from `begin` on.
struct Completions {
  std::size_t begin = 0;
  std::vector<std::string> words;
};
using ListFiles = std::function<std::vector<std::string>(std::string_view beginning)>;
Completions CompleteSlash(std::string_view before_cursor, const ListFiles& files);

}  // namespace sglrun::chat
