#include "grammar/structural_tag/fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"

namespace sglrun::grammar::tag {
namespace {

using Expected = std::string_view;

Result<std::string, GrammarError> ReadText(const Node& node, Expected expected) {
  if (!node.json().is_string()) return node.Expected(expected);
  return node.json().as_string();
}

Result<std::string, GrammarError> ReadNonEmptyText(const Node& node, Expected expected) {
  if (!node.json().is_string() || node.json().as_string().empty()) return node.Expected(expected);
  return node.json().as_string();
}

Result<bool, GrammarError> ReadFlag(const Node& node, Expected expected) {
  if (!node.json().is_bool()) return node.Expected(expected);
  return node.json().as_bool();
}

// Numbers of a structural tag keep their text.
Result<std::int64_t, GrammarError> ReadInteger(const Node& node, Expected expected) {
  if (!node.json().is_number_text()) return node.Expected(expected);
  const std::string& text = node.json().number_text();
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return node.Expected(expected);
  return value;
}

Result<std::optional<std::int64_t>, GrammarError> ReadCount(const Node& node, Expected expected) {
  if (node.json().is_null()) return std::optional<std::int64_t>();
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, ReadInteger(node, expected));
  if (count < 0) return node.Expected(expected);
  return std::optional(count);
}

Result<std::vector<Node>, GrammarError> ReadList(const Node& node, Expected expected) {
  if (!node.json().is_array()) return node.Expected(expected);
  return node.Items();
}

Result<std::vector<Node>, GrammarError> ReadNonEmptyList(const Node& node, Expected expected) {
  SGLRUN_ASSIGN_OR_RETURN(auto items, ReadList(node, expected));
  if (items.empty()) return node.Expected(expected);
  return items;
}

Result<Texts, GrammarError> TextsOf(const std::vector<Node>& items) {
  Texts texts;
  for (const Node& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadNonEmptyText(item, kNonEmptyText.expected));
    texts.push_back({std::move(text), item});
  }
  return texts;
}

Result<Texts, GrammarError> ReadTexts(const Node& node, Expected expected) {
  SGLRUN_ASSIGN_OR_RETURN(const auto items, ReadList(node, expected));
  return TextsOf(items);
}

Result<Texts, GrammarError> ReadNonEmptyTexts(const Node& node, Expected expected) {
  SGLRUN_ASSIGN_OR_RETURN(const auto items, ReadNonEmptyList(node, expected));
  return TextsOf(items);
}

// A value that may be of some kinds of JSON, for code that reads it further.
template <bool (*kFits)(const Json& json)>
Result<Node, GrammarError> ReadNode(const Node& node, Expected expected) {
  if (!kFits(node.json())) return node.Expected(expected);
  return node;
}

bool IsObject(const Json& json) {
  return json.is_object();
}
bool IsSchema(const Json& json) {
  return json.is_object() || json.is_bool() || json.is_null();
}
bool IsToken(const Json& json) {
  return json.is_number() || json.is_string();
}
bool IsTextOrToken(const Json& json) {
  return json.is_string() || json.is_object();
}
bool IsNull(const Json& json) {
  return json.is_null();
}
bool IsEnds(const Json& json) {
  return IsTextOrToken(json) || (json.is_array() && !json.as_array().empty());
}

}  // namespace

const Kind<std::string> kText{"a string", ReadText};
const Kind<std::string> kNonEmptyText{"a string that is not empty", ReadNonEmptyText};
const Kind<bool> kFlag{"true or false", ReadFlag};
const Kind<std::optional<std::int64_t>> kCount{"an integer that is not negative, or null",
                                               ReadCount};
const Kind<std::int64_t> kInteger{"an integer", ReadInteger};
const Kind<std::vector<Node>> kList{"an array", ReadList};
const Kind<std::vector<Node>> kNonEmptyList{"an array that is not empty", ReadNonEmptyList};
const Kind<Texts> kTexts{"an array of strings", ReadTexts};
const Kind<Texts> kNonEmptyTexts{"an array of strings that is not empty", ReadNonEmptyTexts};
const Kind<Node> kFormat{"an object (a format)", ReadNode<IsObject>};
const Kind<Node> kSchema{"a schema (an object, a boolean, or null for any value)",
                         ReadNode<IsSchema>};
const Kind<Node> kToken{"a token id or its text", ReadNode<IsToken>};
const Kind<Node> kTextOrToken{"a string or a token", ReadNode<IsTextOrToken>};
const Kind<Node> kEnds{"a string, a token, or a list of strings that is not empty",
                       ReadNode<IsEnds>};
const Kind<Node> kNull{"null", ReadNode<IsNull>};

Result<void, GrammarError> CheckMembers(const Node& node, std::string_view type,
                                        std::span<const std::string_view> names) {
  if (!node.json().is_object()) return node.Expected("an object");
  for (const auto& [name, value] : node.json().as_object()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    if (name == "type" && !type.empty()) {
      if (value.is_string() && value.as_string() == type) continue;
      return node.Find(name).Expected('"' + std::string(type) + '"');
    }
    if (name == "excludes" && !type.empty()) {
      if (value.is_array() && value.as_array().empty()) continue;
      return node.Find(name).Expected("an empty array (texts cannot be excluded here)");
    }
    const std::string near = NearestName(name, names);
    return node.Find(name).Invalid("this field is not known here" +
                                   (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
  }
  return {};
}

GrammarError Missing(const Node& node, std::string_view name, std::string_view expected) {
  return node.Invalid("the field \"" + std::string(name) + "\" is missing: " +
                      std::string(expected) + " is expected, found " + node.json().Excerpt());
}

}  // namespace sglrun::grammar::tag
