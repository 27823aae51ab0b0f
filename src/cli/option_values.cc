// From the text of a value to the field of Options, and back for the manifest.
#include <algorithm>
#include <charconv>
#include <set>

#include "base/strings.h"
#include "cli/options.h"

namespace sglrun::cli {
namespace {

Error BadValue(const OptionSpec& option, const std::string& value, const std::string& expected) {
  return Error{"--" + std::string(option.name) + " is \"" + value + "\", must be " + expected};
}

bool ParseInteger(std::string_view text, std::int64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// As " of at least 1" or " from 1 to 64".
std::string RangeText(const OptionSpec& option) {
  if (option.maximum == kNoMaximum) return " of at least " + std::to_string(option.minimum);
  return " from " + std::to_string(option.minimum) + " to " + std::to_string(option.maximum);
}

bool ParseInRange(const OptionSpec& option, std::string_view text, std::int64_t& value) {
  return ParseInteger(text, value) && value >= option.minimum && value <= option.maximum;
}

Status SetFlag(const OptionSpec& option, const std::string& value, bool& field) {
  if (value != "true" && value != "false") return BadValue(option, value, "true or false");
  field = value == "true";
  return {};
}

Status SetInteger(const OptionSpec& option, const std::string& value, std::int64_t& field) {
  if (!ParseInRange(option, value, field)) {
    return BadValue(option, value, "an integer" + RangeText(option));
  }
  return {};
}

Status SetIntegers(const OptionSpec& option, const std::string& value,
                   std::vector<std::int64_t>& field) {
  field.clear();
  for (const std::string_view part : Split(value, ',')) {
    std::int64_t number = 0;
    if (!ParseInRange(option, part, number)) {
      return BadValue(option, value, "integers" + RangeText(option) + " with commas between them");
    }
    field.push_back(number);
  }
  return {};
}

Status SetShard(const OptionSpec& option, const std::string& value, run::ShardChoice& field) {
  const std::optional<run::ShardChoice> shard = run::ParseShardChoice(value);
  if (!shard) return BadValue(option, value, std::string(run::kShardForm));
  field = *shard;
  return {};
}

Status CheckSize(const OptionSpec& option, const std::string& value) {
  if (value == "auto") return {};
  if (!value.empty() && value.back() == '%') {
    std::int64_t percent = 0;
    if (ParseInteger(std::string_view(value).substr(0, value.size() - 1), percent) &&
        percent >= 1 && percent <= 100) {
      return {};
    }
  } else if (const Result<std::int64_t> size = ParseByteSize(value); size.ok() && *size > 0) {
    return {};
  }
  return BadValue(option, value, "a size such as 4GiB or 500MB, a share such as 60%, or auto");
}

Status CheckBytes(const OptionSpec& option, const std::string& value) {
  if (const Result<std::int64_t> size = ParseByteSize(value); size.ok() && *size > 0) return {};
  return BadValue(option, value, "a size such as 80GiB");
}

std::string Joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// A choice that ends in ":N" stands for every number in place of N, one that ends in ":N,N" for a
// list of different ones.
bool IsChoice(std::string_view choice, std::string_view value) {
  const std::size_t colon = choice.find(":N");
  if (colon == std::string_view::npos) return value == choice;
  const std::string_view prefix = choice.substr(0, colon + 1);
  if (!value.starts_with(prefix)) return false;
  const std::vector<std::string_view> parts = Split(value.substr(prefix.size()), ',');
  if (parts.size() > 1 && !choice.ends_with(",N")) return false;
  std::set<std::int64_t> seen;
  return std::ranges::all_of(parts, [&seen](std::string_view part) {
    std::int64_t number = 0;
    return ParseInteger(part, number) && number >= 0 && number < 1024 && seen.insert(number).second;
  });
}

Status SetText(const OptionSpec& option, const std::string& value, std::string& field) {
  if (option.kind == Kind::kChoice &&
      std::ranges::none_of(option.choices,
                           [&](std::string_view choice) { return IsChoice(choice, value); })) {
    return BadValue(option, value, Joined(option.choices));
  }
  std::int64_t limit = 0;
  if (option.kind == Kind::kLimit && value != "unlimited" && !ParseInRange(option, value, limit)) {
    return BadValue(option, value, "an integer" + RangeText(option) + ", or unlimited");
  }
  if (option.kind == Kind::kSize) SGLRUN_RETURN_IF_ERROR(CheckSize(option, value));
  if (option.kind == Kind::kBytes) SGLRUN_RETURN_IF_ERROR(CheckBytes(option, value));
  if (value.empty()) return BadValue(option, value, "something");
  field = value;
  return {};
}

void SetMember(Json::Object& object, Json::Member member) {
  for (Json::Member& known : object) {
    if (known.first == member.first) {
      known.second = std::move(member.second);
      return;
    }
  }
  object.push_back(std::move(member));
}

Status LayObject(const OptionSpec& option, const std::string& value, Json& field) {
  Result<ParsedJson, JsonError> parsed = ParseJson(value);
  if (!parsed.ok()) {
    return Error{"--" + std::string(option.name) + " is not valid JSON: " + parsed.error().message +
                 " at byte " + std::to_string(parsed.error().offset) + " of " +
                 Json(value).Excerpt()};
  }
  if (!parsed->value.is_object()) {
    return Error{"--" + std::string(option.name) + " is " + parsed->value.KindName() +
                 ", must be a JSON object such as {\"temperature\": 0}"};
  }
  for (Json::Member& member : parsed->value.as_object()) {
    SetMember(field.as_object(), std::move(member));
  }
  return {};
}

Status Assign(const OptionSpec& option, const std::string& value, Json& field) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) {
    return BadValue(option, value, "NAME=VALUE, such as temperature=0");
  }
  std::string text = value.substr(equals + 1);
  Result<ParsedJson, JsonError> parsed = ParseJson(text);
  SetMember(field.as_object(),
            {value.substr(0, equals), parsed.ok() ? std::move(parsed->value) : Json(text)});
  return {};
}

Status SetNamedPath(const OptionSpec& option, const std::string& value, Json& field) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) {
    return BadValue(option, value, std::string(option.value) + ", such as sql=adapters/sql");
  }
  const std::string name = value.substr(0, equals);
  if (field.Find(name) != nullptr) {
    return Error{"--" + std::string(option.name) + " names \"" + name + "\" twice"};
  }
  field.as_object().emplace_back(name, value.substr(equals + 1));
  return {};
}

}  // namespace

const CommandSpec& FindCommand(Command command) {
  return *std::ranges::find(CommandTable(), command, &CommandSpec::command);
}

const OptionSpec* FindOption(std::string_view name, Command command) {
  for (const OptionSpec& option : OptionTable()) {
    if (option.name == name && (option.commands & Bit(command)) != 0) return &option;
  }
  return nullptr;
}

std::string ValueText(const OptionSpec& option) {
  if (option.kind != Kind::kChoice) return std::string(option.value);
  std::string text;
  for (const std::string_view choice : option.choices) {
    if (!text.empty()) text += '|';
    text += choice;
  }
  return text;
}

Status SetOption(const OptionSpec& option, const std::string& value, Options& options) {
  struct Setter {
    const OptionSpec& option;
    const std::string& value;
    Options& options;
    Status operator()(bool Options::*m) { return SetFlag(option, value, options.*m); }
    Status operator()(std::int64_t Options::*m) { return SetInteger(option, value, options.*m); }
    Status operator()(std::string Options::*m) { return SetText(option, value, options.*m); }
    Status operator()(std::vector<std::int64_t> Options::*m) {
      return SetIntegers(option, value, options.*m);
    }
    Status operator()(run::ShardChoice Options::*m) { return SetShard(option, value, options.*m); }
    Status operator()(Json Options::*m) {
      if (option.kind == Kind::kNamedPath) return SetNamedPath(option, value, options.*m);
      if (option.kind != Kind::kAssignment) return LayObject(option, value, options.*m);
      if (m == &Options::sampling) options.set_names.insert(value.substr(0, value.find('=')));
      return Assign(option, value, options.*m);
    }
  };
  return std::visit(Setter{option, value, options}, option.member);
}

Json OptionValue(const OptionSpec& option, const Options& options) {
  struct Getter {
    const Options& options;
    Json operator()(bool Options::*m) { return options.*m; }
    Json operator()(std::int64_t Options::*m) { return options.*m; }
    Json operator()(std::string Options::*m) { return options.*m; }
    Json operator()(std::vector<std::int64_t> Options::*m) {
      Json::Array numbers;
      for (const std::int64_t number : options.*m) numbers.emplace_back(number);
      return numbers;
    }
    Json operator()(run::ShardChoice Options::*m) { return (options.*m).ToString(); }
    Json operator()(Json Options::*m) { return options.*m; }
  };
  return std::visit(Getter{options}, option.member);
}

}  // namespace sglrun::cli
