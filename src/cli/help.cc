#include "cli/help.h"

#include <algorithm>

#include "console/wrap.h"

namespace sglrun::cli {
namespace {

constexpr std::size_t kColumn = 28;  // where the meaning of an option begins

constexpr std::string_view kIntroduction =
    "sglrun reads a JSONL file of /generate request bodies, runs them through a language model on "
    "this machine, and writes one result line per input line, in the same order. The same input "
    "gives the same answers (with --no-timing the same bytes). Start with `sglrun batch`.";

void AppendOption(const OptionSpec& option, HelpLevel level, std::string& out) {
  std::string head = "  " + OptionHead(option);
  std::string meaning(option.line);
  if (const std::string standard = DefaultText(option); !standard.empty()) {
    meaning += " [" + standard + "]";
  }
  if (head.size() + 2 > kColumn) {
    out += head + "\n" + std::string(kColumn, ' ');
  } else {
    head.resize(kColumn, ' ');
    out += head;
  }
  out += console::Wrap(meaning, kColumn).substr(kColumn);
  if (level == HelpLevel::kLong && !option.text.empty()) {
    out += console::Wrap(option.text, kColumn);
  }
  if (level == HelpLevel::kLong) out += "\n";
}

void AppendExamples(const std::vector<Example>& examples, std::string& out) {
  if (examples.empty()) return;
  out += out.ends_with("\n\n") ? "Examples:\n" : "\nExamples:\n";
  for (const Example& example : examples) {
    out += "  " + std::string(example.line) + "\n" + console::Wrap(example.text, 6);
  }
}

}  // namespace

std::string UsageLine(const CommandSpec& command) {
  std::string usage = "sglrun " + std::string(command.name);
  if (!command.operands.empty()) usage += " " + std::string(command.operands);
  return usage + " [options]";
}

std::string DefaultText(const OptionSpec& option) {
  if (!option.default_text.empty()) return std::string(option.default_text);
  const Json value = OptionValue(option, Options{});
  if (value.is_string()) return value.as_string();
  if (value.is_int()) return value.Dump();
  if (!value.is_array()) return "";
  const std::string list = value.Dump();
  return list.substr(1, list.size() - 2);
}

std::string OptionHead(const OptionSpec& option) {
  std::string head = option.short_name != 0 ? std::string("-") + option.short_name + ", " : "    ";
  head += "--" + std::string(option.name);
  if (option.kind != Kind::kFlag) head += " " + ValueText(option);
  return head;
}

std::vector<std::string_view> GroupsOf(Command command) {
  std::vector<std::string_view> groups;
  for (const OptionSpec& option : OptionTable()) {
    if ((option.commands & Bit(command)) == 0) continue;
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

std::string ProgramHelp(HelpLevel level) {
  std::string out = "sglrun - offline batch inference for language models\n\n";
  if (level == HelpLevel::kLong) out += console::Wrap(kIntroduction, 0) + "\n";
  out += "Usage: sglrun COMMAND [operands] [options]\n\nCommands:\n";
  for (const CommandSpec& command : CommandTable()) {
    std::string head = "  " + std::string(command.name);
    head.resize(14, ' ');
    out += head + console::Wrap(command.line, 14).substr(14);
  }
  out +=
      "\n  sglrun COMMAND -h      options of a command\n"
      "  sglrun COMMAND --help  the same with explanations and examples\n"
      "  sglrun --version       version, build type, instruction sets\n";
  if (level == HelpLevel::kLong) AppendExamples(FindCommand(Command::kBatch).examples, out);
  return out;
}

std::string CommandHelp(const CommandSpec& command, HelpLevel level) {
  std::string out =
      console::Wrap("sglrun " + std::string(command.name) + " - " + std::string(command.line), 0);
  out += "\nUsage: " + UsageLine(command) + "\n";
  if (level == HelpLevel::kLong && !command.text.empty())
    out += "\n" + console::Wrap(command.text, 0);
  for (const std::string_view group : GroupsOf(command.command)) {
    out += (out.ends_with("\n\n") ? "" : "\n") + std::string(group) + ":\n";
    for (const OptionSpec& option : OptionTable()) {
      if (option.group != group || (option.commands & Bit(command.command)) == 0) continue;
      AppendOption(option, level, out);
    }
  }
  if (level == HelpLevel::kShort) {
    out += "\n`sglrun " + std::string(command.name) + " --help` gives more details.\n";
  } else {
    AppendExamples(command.examples, out);
  }
  return out;
}

}  // namespace sglrun::cli
