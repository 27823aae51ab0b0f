#include "cli/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/strings.h"

namespace sglrun::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// A YAML node as JSON. Plain scalars that read as JSON numbers, booleans or null are those; all
// else is text. Depth needs no limit of its own: yaml-cpp has parsed the file recursively before.
Json ToJson(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Sequence: {
      Json::Array items;
      for (const YAML::Node& item : node) items.push_back(ToJson(item));
      return items;
    }
    case YAML::NodeType::Map: {
      Json::Object members;
      for (const auto& member : node) {
        members.emplace_back(member.first.Scalar(), ToJson(member.second));
      }
      return members;
    }
    case YAML::NodeType::Scalar: {
      if (node.Tag() != "!") {  // "!" marks quoted scalars
        Result<ParsedJson, JsonError> parsed = ParseJson(node.Scalar());
        if (parsed.ok()) return std::move(parsed->value);
      }
      return node.Scalar();
    }
    default:
      return nullptr;
  }
}

std::string Where(const std::string& path, const YAML::Node& node) {
  return path + ":" + std::to_string(node.Mark().line + 1) + ": ";
}

// Which of two equal keys counts would be a guess. `name` makes equal what means the same.
Status CheckRepeats(const std::string& path, const YAML::Node& map,
                    std::string (*name)(std::string)) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar() || seen.insert(name(entry.first.Scalar())).second) continue;
    return Error{Where(path, entry.first) + "the key \"" + entry.first.Scalar() +
                 "\" stands twice"};
  }
  return {};
}

std::string OptionName(std::string key) {
  std::ranges::replace(key, '_', '-');
  return key;
}

// The texts that an option's value stands for: one, or one an item of a list.
std::vector<std::string> ValueTexts(const OptionSpec& option, const YAML::Node& value) {
  if (option.kind == Kind::kObject && value.IsMap()) return {ToJson(value).Dump()};
  if (value.IsScalar()) return {value.Scalar()};
  std::vector<std::string> texts;
  if (!value.IsSequence()) return texts;
  for (const YAML::Node& item : value) {
    texts.push_back(item.IsScalar() ? item.Scalar() : ToJson(item).Dump());
  }
  if (option.kind == Kind::kIntegers) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
    return {joined};
  }
  if (!option.repeats()) texts.clear();
  return texts;
}

Status ReadEntry(const std::string& path, Command command, const YAML::Node& key,
                 const YAML::Node& value, ConfigValues& values) {
  if (!key.IsScalar()) return Error{Where(path, key) + "keys must be option names"};
  const std::string name = OptionName(key.Scalar());
  const OptionSpec* option = FindOption(name, command);
  if (name == "config") {
    return Error{Where(path, key) + "one configuration cannot name another"};
  }
  if (option == nullptr) {
    return Error{Where(path, key) + "unknown key \"" + key.Scalar() + "\" for `sglrun " +
                 std::string(FindCommand(command).name) + "`" + SuggestOption(name, command)};
  }
  if (value.IsMap()) {
    SGLRUN_RETURN_IF_ERROR(CheckRepeats(path, value, [](std::string member) { return member; }));
  }
  const std::vector<std::string> texts = ValueTexts(*option, value);
  if (texts.empty() && !(option->repeats() && value.IsSequence())) {
    return Error{Where(path, key) + "the value of \"" + key.Scalar() + "\" has the wrong form"};
  }
  Options scratch;
  for (const std::string& text : texts) {
    if (Status status = SetOption(*option, text, scratch); !status.ok()) {
      return Error{Where(path, key) + status.error().message};
    }
    values.emplace_back(option, text);
  }
  return {};
}

}  // namespace

std::string SuggestOption(std::string_view name, Command command) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : OptionTable()) {
    if ((option.commands & Bit(command)) != 0) names.push_back(option.name);
  }
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

Result<ConfigValues> ReadConfig(const std::string& path, Command command) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  ConfigValues values;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return values;
    if (!root.IsMap()) return Error{path + " must be a mapping of option names to values"};
    SGLRUN_RETURN_IF_ERROR(CheckRepeats(path, root, OptionName));
    for (const auto& entry : root) {
      SGLRUN_RETURN_IF_ERROR(ReadEntry(path, command, entry.first, entry.second, values));
    }
  } catch (const YAML::Exception& problem) {
    return Error{path + " is no YAML: " + problem.what()};
  }
  return values;
}

}  // namespace sglrun::cli
