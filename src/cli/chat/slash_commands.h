// What can be typed in a chat behind a slash, described once: parsing, /help and the completion of
// the tab key come from the one table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::cli {

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

// A line that begins with a slash: its command, and what stands behind it without blanks around; of
// a file the name that was meant, without quotes and ~.
struct SlashLine {
  SlashCommand command;
  std::string operand;
};
// Names the nearest command when there is no such, and says when something is missing or too much.
Result<SlashLine> ParseSlashLine(std::string_view line);

// The text of /help, no line wider than `width`.
std::string SlashHelp(std::size_t width);

// What the tab key offers for the text before the cursor: words that can stand in the place of its
// bytes from `begin` on.
struct Completions {
  std::size_t begin = 0;
  std::vector<std::string> words;
};
using ListFiles = std::function<std::vector<std::string>(std::string_view beginning)>;
Completions CompleteSlash(std::string_view before_cursor, const ListFiles& files);

}  // namespace sglrun::cli
