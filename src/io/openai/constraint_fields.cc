#include "io/openai/constraint_fields.h"

#include <string_view>
#include <utility>
#include <vector>

#include "io/openai/body_fields.h"
#include "request/fields.h"

namespace sglrun::io::openai {
namespace {

using request::BadValue;
using Found = Result<std::optional<ConstraintField>, RecordError>;

Found One(ConstraintField field) {
  return std::optional<ConstraintField>(std::move(field));
}

// A regular expression for one of these texts.
std::string AlternativesOf(const std::vector<std::string_view>& texts) {
  std::string pattern = "(?:";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) pattern += '|';
    for (const char c : texts[i]) {
      if (std::string_view("\\.[]{}()*+?^$|/-").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
  }
  return pattern + ")";
}

Found ReadChoice(const Json& value, const std::string& path) {
  const char* const expected = "an array of strings that is not empty";
  if (!value.is_array() || value.as_array().empty()) {
    return BadValue(path, value.Excerpt(), expected);
  }
  std::vector<std::string_view> texts;
  for (const Json& text : value.as_array()) {
    if (!text.is_string()) return BadValue(path, value.Excerpt(), expected);
    texts.push_back(text.as_string());
  }
  return One({"regex", AlternativesOf(texts), path});
}

Json AnyObjectSchema() {
  return Json::Object{{"type", std::string("object")}};
}

// {"type": "json_schema", "json_schema": {"name": .., "schema": {..}, "strict": true}}. The schema
// is enforced even without strict, as in vLLM and SGLang.
Found ReadSchemaFormat(const Json& format, const std::string& path) {
  const Json* const wrapped = format.Find("json_schema");
  if (wrapped == nullptr || !wrapped->is_object()) {
    return BadValue(path + ".json_schema", wrapped == nullptr ? "missing" : wrapped->Excerpt(),
                    "an object with a schema");
  }
  SGLRUN_RETURN_IF_ERROR(CheckMembers(*wrapped, path + ".json_schema.",
                                      {{"name", request::Kind::kString},
                                       {"description", request::Kind::kString},
                                       {"schema", request::Kind::kObject},
                                       {"strict", request::Kind::kBool}}));
  const Json* const schema = wrapped->Find("schema");
  if (schema == nullptr || schema->is_null()) {
    return RecordError{path + ".json_schema has no schema", path + ".json_schema.schema"};
  }
  return One({"json_schema", *schema, path + ".json_schema.schema"});
}

Found ReadResponseFormat(const Json& format, const std::string& path) {
  const Json* const type = format.is_object() ? format.Find("type") : nullptr;
  if (type == nullptr || !type->is_string()) {
    return BadValue(path, format.Excerpt(), "an object with a type");
  }
  const std::string& name = type->as_string();
  if (name == "text") return std::optional<ConstraintField>();
  if (name == "json_object") return One({"json_schema", AnyObjectSchema(), path});
  if (name == "json_schema") return ReadSchemaFormat(format, path);
  if (name == "structural_tag") return One({"structural_tag", format, path});
  return BadValue(path + ".type", type->Excerpt(),
                  "text, json_object, json_schema or structural_tag");
}

// `json_object: true`; false means no constraint.
Found ReadJsonObject(const Json& value, const std::string& path) {
  if (!value.is_bool()) return BadValue(path, value.Excerpt(), "a boolean");
  if (!value.as_bool()) return std::optional<ConstraintField>();
  return One({"json_schema", AnyObjectSchema(), path});
}

// A name, and either the parameter that takes its value unchanged or the function that reads it.
struct Name {
  std::string_view name;
  std::string_view parameter;
  Found (*read)(const Json& value, const std::string& path) = nullptr;
};

constexpr Name kBodyNames[] = {
    {"response_format", "", ReadResponseFormat},
    {"guided_json", "json_schema"},
    {"guided_regex", "regex"},
    {"guided_choice", "", ReadChoice},
    {"guided_grammar", "ebnf"},
    {"json_schema", "json_schema"},
    {"regex", "regex"},
    {"ebnf", "ebnf"},
    {"structural_tag", "structural_tag"},
};

constexpr Name kStructuredNames[] = {
    {"json", "json_schema"},
    {"regex", "regex"},
    {"choice", "", ReadChoice},
    {"grammar", "ebnf"},
    {"json_object", "", ReadJsonObject},
    {"structural_tag", "structural_tag"},
};

bool AsksForNothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.as_string().empty());
}

// Adds what `object` states under these names to `found`.
template <std::size_t kCount>
Result<void, RecordError> Collect(const Json& object, const std::string& prefix,
                                  const Name (&names)[kCount],
                                  std::vector<ConstraintField>& found) {
  for (const Name& name : names) {
    const Json* const value = object.Find(name.name);
    if (value == nullptr || AsksForNothing(*value)) continue;
    const std::string path = prefix + std::string(name.name);
    if (name.read == nullptr) {
      found.push_back({std::string(name.parameter), *value, path});
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(std::optional<ConstraintField> one, name.read(*value, path));
    if (one) found.push_back(*std::move(one));
  }
  return {};
}

Result<void, RecordError> CheckStructuredNames(const Json& structured) {
  for (const auto& [name, value] : structured.as_object()) {
    bool known = value.is_null() || (value.is_bool() && !value.as_bool());
    for (const Name& one : kStructuredNames) known = known || one.name == name;
    if (known) continue;
    const std::string path = "structured_outputs." + request::ShortName(name);
    return RecordError{path + " is not supported yet", path};
  }
  return {};
}

}  // namespace

Found ReadConstraint(const Json& body) {
  std::vector<ConstraintField> found;
  SGLRUN_RETURN_IF_ERROR(Collect(body, "", kBodyNames, found));
  if (const Json* structured = body.Find("structured_outputs");
      structured != nullptr && !structured->is_null()) {
    SGLRUN_RETURN_IF_ERROR(CheckStructuredNames(*structured));
    SGLRUN_RETURN_IF_ERROR(Collect(*structured, "structured_outputs.", kStructuredNames, found));
  }
  if (found.empty()) return std::optional<ConstraintField>();
  if (found.size() > 1) {
    return RecordError{found[0].origin + " and " + found[1].origin +
                           " are both given; an answer can have only one constraint",
                       found[1].origin};
  }
  return std::optional<ConstraintField>(std::move(found[0]));
}

}  // namespace sglrun::io::openai
