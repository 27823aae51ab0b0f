// What `sglrun -h`, `sglrun COMMAND -h` and `--help` print, made from the tables.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.h"

namespace sglrun::cli {

// All commands: short is the list, long adds an introduction and examples.
std::string ProgramHelp(HelpLevel level);
// One command: short has one line an option, long teaches.
std::string CommandHelp(const CommandSpec& command, HelpLevel level);

// "sglrun batch INPUT... [options]"
std::string UsageLine(const CommandSpec& command);
// The default as help shows it, "" when there is nothing to say.
std::string DefaultText(const OptionSpec& option);
// "-o, --output FILE"
std::string OptionHead(const OptionSpec& option);

// Breaks text at blanks so that no line is longer than `width`, each line indented.
std::string Wrap(std::string_view text, std::size_t indent, std::size_t width = 80);

// The groups of options that a command has, in the table's order.
std::vector<std::string_view> GroupsOf(Command command);

}  // namespace sglrun::cli
