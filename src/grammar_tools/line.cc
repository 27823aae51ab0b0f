#include "grammar_tools/line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "grammar/base/limits.h"

namespace sglrun::grammar_tools {
namespace {

struct KindRow {
  std::string_view name;
  ConstraintKind kind;
  bool takes_object;
  bool takes_boolean;
};
constexpr std::array<KindRow, 4> kKinds = {{
    {"json_schema", ConstraintKind::kJsonSchema, true, true},
    {"regex", ConstraintKind::kRegex, false, false},
    {"ebnf", ConstraintKind::kEbnf, false, false},
    {"structural_tag", ConstraintKind::kStructuralTag, true, false},
}};

// The text of the constraint; nullopt when it is absent (null and "" count as that).
Result<std::optional<std::string>, RecordError> TextOf(const Json& line, const KindRow& row) {
  const Json* value = line.Find(row.name);
  if (value == nullptr || value->is_null()) return std::optional<std::string>();
  if (value->is_string()) {
    if (value->as_string().empty()) return std::optional<std::string>();
    return std::optional(value->as_string());
  }
  if ((value->is_object() && row.takes_object) || (value->is_bool() && row.takes_boolean)) {
    return std::optional(value->Dump());
  }
  const std::string name(row.name);
  return RecordError{name + " is " + value->KindName() + ", must be a string" +
                         (row.takes_boolean  ? ", an object or a boolean"
                          : row.takes_object ? " or an object"
                                             : ""),
                     name};
}

Result<Constraint, RecordError> ConstraintOf(const Json& line) {
  std::optional<Constraint> found;
  for (const KindRow& row : kKinds) {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<std::string> text, TextOf(line, row));
    if (!text) continue;
    if (found) {
      return RecordError{"only one of json_schema, regex, ebnf, structural_tag may be set",
                         std::string(row.name)};
    }
    found = Constraint{row.kind, *std::move(text)};
  }
  if (found) return *std::move(found);
  for (const KindRow& row : kKinds) {
    const Json* value = line.Find(row.name);
    if (value == nullptr || value->is_null()) continue;
    const std::string name(row.name);
    return RecordError{name + " is \"\", which counts as no constraint", name};
  }
  return RecordError{"one of json_schema, regex, ebnf, structural_tag must be set", ""};
}

Result<std::vector<std::string>, RecordError> TextsOf(const Json& line) {
  std::vector<std::string> texts;
  const Json* value = line.Find("texts");
  if (value == nullptr || value->is_null()) return texts;
  if (!value->is_array()) {
    return RecordError{std::string("texts is ") + value->KindName() + ", must be an array",
                       "texts"};
  }
  for (const Json& text : value->as_array()) {
    if (!text.is_string()) {
      const std::string place = "texts[" + std::to_string(texts.size()) + "]";
      return RecordError{place + " is " + text.KindName() + ", must be a string", place};
    }
    texts.push_back(text.as_string());
  }
  return texts;
}

// A misspelled member is an error. Other unknown members are ignored, with a note that names them.
Result<void, RecordError> CheckMembers(const Json& line, std::vector<std::string>& notes) {
  constexpr std::array<std::string_view, 3> kOthers = {"id", "texts", "options"};
  std::vector<std::string_view> known(kOthers.begin(), kOthers.end());
  for (const KindRow& row : kKinds) known.push_back(row.name);
  for (const auto& [name, value] : line.as_object()) {
    // `valid` is for scripts/bench-grammar, which reads the same files.
    if (name == "valid" || std::ranges::find(known, name) != known.end()) continue;
    const std::string near = NearestName(name, known);
    if (!near.empty()) {
      return RecordError{name + " is not known; did you mean \"" + near + "\"?", name};
    }
    notes.push_back(name + " is not known here and has no effect");
  }
  return {};
}

}  // namespace

JsonParseOptions GrammarLineParsing() {
  return {.max_depth = grammar::Limits{}.nesting + 16, .keep_number_text = true};
}

Result<GrammarLine, RecordError> ReadGrammarLine(const Json& line, const LineOptions& options) {
  if (!line.is_object()) {
    return RecordError{std::string("the line is ") + line.KindName() + ", must be an object", ""};
  }
  GrammarLine result;
  SGLRUN_RETURN_IF_ERROR(CheckMembers(line, result.notes));
  if (const Json* id = line.Find("id")) result.id = *id;
  SGLRUN_ASSIGN_OR_RETURN(result.constraint, ConstraintOf(line));
  SGLRUN_ASSIGN_OR_RETURN(result.texts, TextsOf(line));
  result.options = options.standard;
  if (const Json* own = line.Find("options")) {
    const auto laid = options.with(*own);
    if (!laid.ok()) return RecordError{laid.error().message, "options"};
    result.options = *laid;
  }
  return result;
}

}  // namespace sglrun::grammar_tools
