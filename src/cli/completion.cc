#include "cli/completion.h"

#include <vector>

#include "cli/options.h"

namespace sglrun::cli {
namespace {

std::vector<const OptionSpec*> OptionsOf(Command command) {
  std::vector<const OptionSpec*> options;
  for (const OptionSpec& option : OptionTable()) {
    if ((option.commands & Bit(command)) != 0) options.push_back(&option);
  }
  return options;
}

bool TakesFile(const OptionSpec& option) {
  return option.kind == Kind::kFile || option.kind == Kind::kDirectory;
}

std::string Words(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

std::string CommandNames() {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : CommandTable()) names.push_back(command.name);
  return Words(names);
}

// For single quotes of any of the shells; the tables hold no backslash.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// "--output|-o" as a case pattern.
std::string Pattern(const OptionSpec& option) {
  std::string pattern = "--" + std::string(option.name);
  if (option.short_name != 0) pattern += std::string("|-") + option.short_name;
  return pattern;
}

std::string Bash() {
  std::string out =
      "# bash completion for sglrun\n"
      "_sglrun() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      CommandNames() +
      " --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$before\" in\n";
  // A long name means the same in every command that has it, so one case list serves all.
  std::string files;
  for (const OptionSpec& option : OptionTable()) {
    if (option.kind == Kind::kChoice) {
      out += "    " + Pattern(option) + ") COMPREPLY=($(compgen -W '" + Words(option.choices) +
             "' -- \"$word\")); return ;;\n";
    } else if (TakesFile(option)) {
      files += (files.empty() ? "" : "|") + Pattern(option);
    } else if (option.kind != Kind::kFlag) {
      out += "    " + Pattern(option) + ") return ;;\n";
    }
  }
  out += "    " + files + ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n  esac\n";
  out += "  local options operands=\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandSpec& command : CommandTable()) {
    out += "    " + std::string(command.name) + ") options='-h --help";
    for (const OptionSpec* option : OptionsOf(command.command)) {
      out += " --" + std::string(option->name);
    }
    out += "'";
    if (!command.operand_choices.empty()) {
      out += "; operands='" + Words(command.operand_choices) + "'";
    }
    out += " ;;\n";
  }
  out +=
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [ -n \"$operands\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _sglrun sglrun\n";
  return out;
}

// The part of a zsh argument spec after the option's name: [text]:value:action.
std::string ZshAction(const OptionSpec& option) {
  std::string text = "[" + std::string(option.line) + "]";
  if (option.kind == Kind::kFlag) return text;
  text += ":" + std::string(option.name) + ":";
  if (option.kind == Kind::kChoice) return text + "(" + Words(option.choices) + ")";
  return text + (TakesFile(option) ? "_files" : " ");
}

// Colons separate the parts of a spec.
std::string ZshEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshOption(const OptionSpec& option) {
  OptionSpec escaped = option;
  const std::string line = ZshEscaped(option.line);
  escaped.line = line;
  const std::string action = ZshAction(escaped);
  const std::string star = option.repeats() ? "*" : "";
  std::string out = "        " + Quoted(star + "--" + std::string(option.name) + action) + " \\\n";
  if (option.short_name != 0) {
    out += "        " + Quoted(std::string("-") + option.short_name + action) + " \\\n";
  }
  return out;
}

std::string Zsh() {
  std::string out =
      "#compdef sglrun\n"
      "_sglrun() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandSpec& command : CommandTable()) {
    out += "    " + Quoted(std::string(command.name) + ":" + ZshEscaped(command.line)) + "\n";
  }
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandSpec& command : CommandTable()) {
    out += "    " + std::string(command.name) + ")\n      _arguments \\\n";
    for (const OptionSpec* option : OptionsOf(command.command)) out += ZshOption(*option);
    out += command.operand_choices.empty()
               ? "        '*:file:_files' ;;\n"
               : "        '1:word:(" + Words(command.operand_choices) + ")' ;;\n";
  }
  out +=
      "  esac\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _sglrun ]; then _sglrun \"$@\"; else compdef _sglrun sglrun; fi\n";
  return out;
}

std::string Fish() {
  std::string out =
      "# fish completion for sglrun\n"
      "complete -c sglrun -f -n __fish_use_subcommand -l help -d 'explain'\n"
      "complete -c sglrun -f -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const CommandSpec& command : CommandTable()) {
    out += "complete -c sglrun -f -n __fish_use_subcommand -a " + std::string(command.name) +
           " -d " + Quoted(command.line) + "\n";
  }
  for (const CommandSpec& command : CommandTable()) {
    const std::string head =
        "complete -c sglrun -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    if (!command.operand_choices.empty()) {
      out += head + " -f -a " + Quoted(Words(command.operand_choices)) + "\n";
    }
    for (const OptionSpec* option : OptionsOf(command.command)) {
      out += head + " -l " + std::string(option->name);
      if (option->short_name != 0) out += std::string(" -s ") + option->short_name;
      if (option->kind == Kind::kChoice) {
        out += " -x -a " + Quoted(Words(option->choices));
      } else if (TakesFile(*option)) {
        out += " -r";
      } else if (option->kind != Kind::kFlag) {
        out += " -x";
      }
      out += " -d " + Quoted(option->line) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string CompletionScript(std::string_view shell) {
  if (shell == "zsh") return Zsh();
  return shell == "fish" ? Fish() : Bash();
}

}  // namespace sglrun::cli
