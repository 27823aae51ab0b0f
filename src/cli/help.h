// What `sglrun -h`, `sglrun COMMAND -h` and `--help` print, made from the tables.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.h"

namespace sglrun::cli {

// Help for the program: the short form lists the commands, the long form adds an introduction and
// examples.
std::string ProgramHelp(HelpLevel level);
// Help for one command: the short form has one line per option, the long form explains.
std::string CommandHelp(const CommandSpec& command, HelpLevel level);

// "sglrun batch INPUT... [options]"
std::string UsageLine(const CommandSpec& command);
// The default as shown in help; "" if none is shown.
std::string DefaultText(const OptionSpec& option);
// "-o, --output FILE"
std::string OptionHead(const OptionSpec& option);

// The groups of options that a command has, in the table's order.
std::vector<std::string_view> GroupsOf(Command command);

}  // namespace sglrun::cli
