#include "grammar/json_schema/settings.h"

#include <algorithm>
#include <optional>
#include <string>

namespace sglrun::grammar {
namespace {

// What is wrong, for the sentence; nothing when all is well.
using Fault = std::optional<std::string>;

bool IsBlank(const Json& separator, char mark) {
  if (!separator.is_string()) return false;
  const std::string& text = separator.as_string();
  return std::count(text.begin(), text.end(), mark) == 1 &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return c == mark || c == ' ' || c == '\n' || c == '\t' || c == '\r';
         });
}

Fault ReadWhitespaceObject(const Json& value, Layout& layout) {
  for (const auto& [name, setting] : value.as_object()) {
    const bool is_count = setting.is_number() && setting.as_double() >= 0 &&
                          setting.as_double() <= 1000 &&
                          setting.as_double() == static_cast<int>(setting.as_double());
    if (name == "indent" && is_count) {
      layout.policy = WhitespacePolicy::kIndent;
      layout.indent = static_cast<int>(setting.as_double());
    } else if (name == "max" && is_count) {
      layout.policy = WhitespacePolicy::kFlexible;
      layout.max_whitespace = static_cast<std::int64_t>(setting.as_double());
    } else if (name == "separators" && setting.is_array() && setting.as_array().size() == 2 &&
               IsBlank(setting.as_array()[0], ',') && IsBlank(setting.as_array()[1], ':')) {
      layout.policy = WhitespacePolicy::kCompact;
      layout.item_separator = setting.as_array()[0].as_string();
      layout.key_separator = setting.as_array()[1].as_string();
    } else {
      return "has the whitespace " + value.Excerpt() +
             ", which must be {\"indent\": n}, {\"max\": n} or {\"separators\": [\", \", \": \"]}";
    }
  }
  return std::nullopt;
}

Fault ReadWhitespace(const Json& value, Layout& layout) {
  if (value.is_object()) return ReadWhitespaceObject(value, layout);
  const std::string name = value.is_string() ? value.as_string() : "";
  if (name == "flexible") {
    layout.policy = WhitespacePolicy::kFlexible;
  } else if (name == "compact") {
    layout.policy = WhitespacePolicy::kCompact;
  } else if (name == "indent") {
    layout.policy = WhitespacePolicy::kIndent;
  } else {
    return "has the whitespace " + value.Excerpt() +
           ", which must be flexible, compact, indent or an object";
  }
  return std::nullopt;
}

Fault ReadSetting(const std::string& name, const Json& value, SchemaSettings& settings) {
  if (name == "whitespace") return ReadWhitespace(value, settings.layout);
  if (name == "any_order") {
    if (!value.is_bool()) return "has the any_order " + value.Excerpt() + ", no boolean";
    settings.any_order = value.as_bool();
    return std::nullopt;
  }
  if (name == "mode") {
    const std::string mode = value.is_string() ? value.as_string() : "";
    if (mode != "strict" && mode != "spec") {
      return "has the mode " + value.Excerpt() + ", which must be strict or spec";
    }
    settings.mode = mode == "strict" ? ClosingMode::kStrict : ClosingMode::kSpec;
    return std::nullopt;
  }
  return "has the unknown setting \"" + name + "\"; there are mode, whitespace and any_order";
}

}  // namespace

Result<SchemaSettings, GrammarError> SchemaSettings::From(const Document& document,
                                                          const GrammarOptions& options) {
  SchemaSettings settings{options.json_schema_mode, Layout::From(options), false};
  const Json* own = document.schema(document.root()).Find("x-sglrun");
  if (own == nullptr) return settings;
  if (!own->is_object()) {
    return document.ErrorAt(document.root(), "x-sglrun", Verdict::kInvalid, "must be an object");
  }
  for (const auto& [name, value] : own->as_object()) {
    if (const Fault fault = ReadSetting(name, value, settings)) {
      return document.ErrorAt(document.root(), "x-sglrun", Verdict::kInvalid, *fault);
    }
  }
  return settings;
}

}  // namespace sglrun::grammar
