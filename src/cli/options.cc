// The parser is made from the table; CLI11 cuts the command line into options and operands, values
// are converted in option_values.cc.
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "base/strings.h"
#include "cli/config.h"

namespace sglrun::cli {
namespace {

// The CLI11 parser of a command, with handles that state which options were given.
struct ParserOfCommand {
  const CommandSpec* spec = nullptr;
  CLI::App* app = nullptr;
  bool short_help = false, long_help = false;
  std::vector<std::string> operands;
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> options;
};

std::string Flags(const OptionSpec& option) {
  std::string flags = "--" + std::string(option.name);
  if (option.short_name != 0) flags += std::string(",-") + option.short_name;
  return flags;
}

void AddOptions(ParserOfCommand& parser) {
  const auto accept = [](const CLI::results_t&) { return true; };
  for (const OptionSpec& option : OptionTable()) {
    if ((option.commands & Bit(parser.spec->command)) == 0) continue;
    CLI::Option* handle = nullptr;
    if (option.kind == Kind::kFlag) {
      handle = parser.app->add_flag(Flags(option))->take_last();
    } else {
      handle = parser.app->add_option(Flags(option), accept)->expected(1);
      if (option.repeats()) {
        handle->take_all();
      } else {
        handle->take_last();
      }
    }
    parser.options.emplace_back(&option, handle);
  }
}

// Parsers live in a list that never moves: CLI11 keeps pointers to the fields.
std::vector<std::unique_ptr<ParserOfCommand>> AddCommands(CLI::App& app) {
  std::vector<std::unique_ptr<ParserOfCommand>> parsers;
  for (const CommandSpec& spec : CommandTable()) {
    auto parser = std::make_unique<ParserOfCommand>();
    parser->spec = &spec;
    parser->app = app.add_subcommand(std::string(spec.name));
    parser->app->set_help_flag();
    parser->app->allow_extras();
    parser->app->add_flag("-h", parser->short_help);
    parser->app->add_flag("--help", parser->long_help);
    if (!spec.operands.empty()) {
      parser->app->add_option("operands", parser->operands)->expected(0, 1 << 20);
    }
    AddOptions(*parser);
    parsers.push_back(std::move(parser));
  }
  return parsers;
}

Error UnknownCommand(const std::string& word) {
  if (word.starts_with("-")) {
    return Error{"unknown option \"" + word + "\"; options of a command follow its name"};
  }
  std::vector<std::string_view> names;
  for (const CommandSpec& spec : CommandTable()) names.push_back(spec.name);
  const std::string nearest = NearestName(word, names);
  return Error{
      "unknown command \"" + word + "\"" +
      (nearest.empty() ? "; `sglrun -h` lists them" : "; did you mean \"" + nearest + "\"?")};
}

Error UnknownOption(const std::string& word, const CommandSpec& spec) {
  const std::string name = word.substr(0, word.find('='));
  std::string hint;
  if (name.starts_with("--")) hint = SuggestOption(name.substr(2), spec.command);
  if (const std::size_t quote = hint.find('"'); quote != std::string::npos) {
    hint.insert(quote + 1, "--");
  }
  return Error{"unknown option \"" + name + "\" for `sglrun " + std::string(spec.name) + "`" +
               (hint.empty() ? "; -h lists the options" : hint)};
}

Status CheckOperands(const ParserOfCommand& parser) {
  const CommandSpec& spec = *parser.spec;
  const std::string name = "`sglrun " + std::string(spec.name) + "`";
  for (const std::string& extra : parser.app->remaining()) {
    if (extra.size() > 1 && extra[0] == '-') return UnknownOption(extra, spec);
    return Error{name + " takes no operand, got \"" + extra + "\""};
  }
  const std::size_t count = parser.operands.size();
  if (spec.operands.empty() && count > 0) {
    return Error{name + " takes no operand, got \"" + parser.operands[0] + "\""};
  }
  if (count < spec.min_operands) {
    return Error{name + " needs " + std::string(spec.operands) + "; see `sglrun " +
                 std::string(spec.name) + " -h`"};
  }
  if (count > spec.max_operands) {
    return Error{name + " takes one " + std::string(spec.operands) + ", got \"" +
                 parser.operands[spec.max_operands] + "\" too"};
  }
  if (spec.operand_choices.empty()) return {};
  for (const std::string_view choice : spec.operand_choices) {
    if (choice == parser.operands[0]) return {};
  }
  std::string known;
  for (const std::string_view choice : spec.operand_choices) {
    known += (known.empty() ? "" : ", ") + std::string(choice);
  }
  return Error{name + " does not know \"" + parser.operands[0] + "\"; known " +
               (spec.operand_choices.size() == 1 ? "is " : "are ") + known};
}

Status SetFromCommandLine(const ParserOfCommand& parser, Options& options) {
  for (const auto& [option, handle] : parser.options) {
    if (handle->count() == 0) continue;
    if (option->kind == Kind::kFlag) {
      SGLRUN_RETURN_IF_ERROR(SetOption(*option, handle->results().back(), options));
      continue;
    }
    for (const std::string& value : handle->results()) {
      SGLRUN_RETURN_IF_ERROR(SetOption(*option, value, options));
    }
  }
  return {};
}

// The command line overrides the config file, which is therefore applied first.
Status SetAll(const ParserOfCommand& parser, Options& options) {
  options.inputs = parser.operands;
  for (const auto& [option, handle] : parser.options) {
    if (option->name != "config" || handle->count() == 0) continue;
    SGLRUN_ASSIGN_OR_RETURN(const ConfigValues values,
                            ReadConfig(handle->results().back(), parser.spec->command));
    for (const auto& [key, value] : values) SGLRUN_RETURN_IF_ERROR(SetOption(*key, value, options));
  }
  return SetFromCommandLine(parser, options);
}

Error ParserError(const std::string& text) {
  // "--output: 1 required TEXT missing" is how CLI11 says that a value is not there.
  const std::size_t colon = text.find(": ");
  if (text.find("required") != std::string::npos && colon != std::string::npos) {
    return Error{text.substr(0, colon) + " needs a value"};
  }
  return Error{text};
}

// The place of the word "--" after the command: all later words are operands, even with a leading
// dash. `argc` if there is none.
int EndOfOptions(int argc, const char* const* argv) {
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--") return i;
  }
  return argc;
}

}  // namespace

Result<Invocation> ParseCommandLine(int argc, const char* const* argv) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.require_subcommand(0, 1);
  Invocation invocation;
  bool short_help = false, long_help = false;
  app.add_flag("-h", short_help);
  app.add_flag("--help", long_help);
  app.add_flag("--version", invocation.version);
  const auto parsers = AddCommands(app);
  const int options_end = EndOfOptions(argc, argv);
  try {
    app.parse(options_end, argv);
  } catch (const CLI::ParseError& problem) {
    return ParserError(problem.what());
  }

  const auto level = [](bool with_short, bool with_long) {
    return with_long ? HelpLevel::kLong : with_short ? HelpLevel::kShort : HelpLevel::kNone;
  };
  invocation.help = level(short_help, long_help);
  for (const auto& parser : parsers) {
    if (!parser->app->parsed()) continue;
    for (int i = options_end + 1; i < argc; ++i) parser->operands.emplace_back(argv[i]);
    invocation.has_command = true;
    invocation.command = parser->spec->command;
    if (invocation.help == HelpLevel::kNone) {
      invocation.help = level(parser->short_help, parser->long_help);
    }
    if (invocation.help != HelpLevel::kNone || invocation.version) return invocation;
    if (const auto extras = app.remaining(); !extras.empty()) return UnknownCommand(extras[0]);
    SGLRUN_RETURN_IF_ERROR(CheckOperands(*parser));
    SGLRUN_RETURN_IF_ERROR(SetAll(*parser, invocation.options));
    return invocation;
  }
  if (const std::vector<std::string> extras = app.remaining(); !extras.empty()) {
    return UnknownCommand(extras[0]);
  }
  return invocation;
}

}  // namespace sglrun::cli
