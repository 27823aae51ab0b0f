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

// The maximum size of the values of a file after its aliases are expanded.
constexpr std::size_t kMaxExpandedBytes = 8 * kMaxConfigBytes;
constexpr std::size_t kNodeBytes = 8;  // added to the size of a value's text
constexpr int kMaxDepth = 256;         // as of JSON

// Nodes as JSON. An alias can name a value within itself, or ten times within each of ten others,
// so neither depth nor size follows from the length of the file.
class Expansion {
 public:
  // Plain scalars that are valid JSON numbers, booleans or null are read as such; everything else
  // is text.
  Result<Json> ToJson(const YAML::Node& node, int depth = 0) {
    if (depth == kMaxDepth) {
      return Error{"is nested more than " + std::to_string(kMaxDepth) + " deep"};
    }
    SGLRUN_RETURN_IF_ERROR(Take(kNodeBytes));
    switch (node.Type()) {
      case YAML::NodeType::Sequence: {
        Json::Array items;
        for (const YAML::Node& item : node) {
          SGLRUN_ASSIGN_OR_RETURN(Json value, ToJson(item, depth + 1));
          items.push_back(std::move(value));
        }
        return Json(std::move(items));
      }
      case YAML::NodeType::Map: {
        Json::Object members;
        std::set<std::string> seen;
        for (const auto& member : node) {
          SGLRUN_ASSIGN_OR_RETURN(std::string name, Text(member.first));
          if (!seen.insert(name).second) return Error{"holds the key \"" + name + "\" twice"};
          SGLRUN_ASSIGN_OR_RETURN(Json value, ToJson(member.second, depth + 1));
          members.emplace_back(std::move(name), std::move(value));
        }
        return Json(std::move(members));
      }
      case YAML::NodeType::Scalar: {
        SGLRUN_ASSIGN_OR_RETURN(std::string text, Text(node));
        if (node.Tag() != "!") {  // "!" marks quoted scalars
          Result<ParsedJson, JsonError> parsed = ParseJson(text);
          if (parsed.ok()) return std::move(parsed->value);
        }
        return Json(std::move(text));
      }
      default:
        return Json(nullptr);
    }
  }

  Result<std::string> Text(const YAML::Node& scalar) {
    SGLRUN_RETURN_IF_ERROR(Take(scalar.Scalar().size() + 1));
    return scalar.Scalar();
  }

 private:
  Status Take(std::size_t bytes) {
    if (bytes > left_) {
      return Error{"has more than " + FormatByteSize(kMaxExpandedBytes) +
                   " after its aliases are expanded"};
    }
    left_ -= bytes;
    return {};
  }

  std::size_t left_ = kMaxExpandedBytes;
};

std::string Where(const std::string& path, const YAML::Node& node) {
  return path + ":" + std::to_string(node.Mark().line + 1) + ": ";
}

// Repeated keys are refused, because either could be meant. `name` normalises keys, so that
// different spellings of one option are equal.
Status CheckRepeats(const std::string& path, const YAML::Node& map,
                    std::string (*name)(std::string)) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar() || seen.insert(name(entry.first.Scalar())).second) continue;
    return Error{Where(path, entry.first) + "the key \"" + entry.first.Scalar() +
                 "\" occurs twice"};
  }
  return {};
}

std::string OptionName(std::string key) {
  std::ranges::replace(key, '_', '-');
  return key;
}

// The texts of an option's value: one, or one per item of a list.
Result<std::vector<std::string>> ValueTexts(const OptionSpec& option, const YAML::Node& value,
                                            Expansion& expansion) {
  std::vector<std::string> texts;
  const auto add = [&](const YAML::Node& item) -> Status {
    if (item.IsScalar()) {
      SGLRUN_ASSIGN_OR_RETURN(std::string text, expansion.Text(item));
      texts.push_back(std::move(text));
      return {};
    }
    SGLRUN_ASSIGN_OR_RETURN(const Json json, expansion.ToJson(item));
    texts.push_back(json.Dump());
    return {};
  };
  if (value.IsScalar() || (option.kind == Kind::kObject && value.IsMap())) {
    SGLRUN_RETURN_IF_ERROR(add(value));
    return texts;
  }
  if (!value.IsSequence()) return texts;
  for (const YAML::Node& item : value) SGLRUN_RETURN_IF_ERROR(add(item));
  if (option.kind == Kind::kIntegers) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
    return std::vector{joined};
  }
  if (!option.repeats()) texts.clear();
  return texts;
}

Status ReadEntry(const std::string& path, Command command, const YAML::Node& key,
                 const YAML::Node& value, Expansion& expansion, ConfigValues& values) {
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
  const Result<std::vector<std::string>> found = ValueTexts(*option, value, expansion);
  if (!found.ok()) {
    return Error{Where(path, key) + "the value of \"" + key.Scalar() + "\" " +
                 found.error().message};
  }
  const std::vector<std::string>& texts = *found;
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
    Expansion expansion;
    for (const auto& entry : root) {
      SGLRUN_RETURN_IF_ERROR(
          ReadEntry(path, command, entry.first, entry.second, expansion, values));
    }
  } catch (const YAML::Exception& problem) {
    return Error{path + " is no YAML: " + problem.what()};
  }
  return values;
}

}  // namespace sglrun::cli
