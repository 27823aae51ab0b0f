#include "request/fields_doc.h"

#include <algorithm>
#include <cmath>

namespace sglrun::request {
namespace {

std::string WithoutArticle(std::string_view phrase) {
  if (phrase.rfind("a ", 0) == 0) phrase.remove_prefix(2);
  if (phrase.rfind("an ", 0) == 0) phrase.remove_prefix(3);
  return std::string(phrase);
}

std::string_view ShortKind(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "bool";
    case Kind::kInteger:
      return "int";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kStrings:
      return "string(s)";
    case Kind::kIntegers:
    case Kind::kTokenIds:
      return "ints";
    case Kind::kRows:
      return "matrix";
    case Kind::kTokenBias:
    case Kind::kObject:
    case Kind::kSamplingParams:
      return "object";
    case Kind::kHiddenStates:
      return "bool|last";
    case Kind::kSchema:
      return "string|schema";
    case Kind::kTag:
      return "string|object";
    case Kind::kAny:
      break;
  }
  return "any";
}

std::string_view TreatmentPhrase(Treatment treatment) {
  return treatment == Treatment::kUnsupported ? "not supported yet: " : "";
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

void AppendScope(std::string& out, Scope scope, std::string_view title) {
  out.append(title).append("\n");
  for (const Field& field : Fields()) {
    if (field.scope != scope) continue;
    std::string line = "  " + Padded(std::string(field.name), 36);
    line += Padded(std::string(ShortKind(field.kind)) + (field.per_prompt ? " [+]" : ""), 15);
    line += Padded(std::string(field.default_json), 12);
    line.append(TreatmentPhrase(field.treatment)).append(field.summary);
    const std::string range = field.range.ToString();
    if (!range.empty() && field.name != "sampling_seed") line += " (" + range + ")";
    out += line + "\n";
  }
}

Json Type(std::string_view name) {
  Json::Object object;
  object.emplace_back("type", Json(std::string(name)));
  return Json(std::move(object));
}

void Set(Json& object, std::string_view key, Json value) {
  object.as_object().emplace_back(std::string(key), std::move(value));
}

Json Bound(double value) {
  if (value == std::floor(value) && std::fabs(value) < 0x1p53) {
    return Json(static_cast<std::int64_t>(value));
  }
  return Json(value);
}

Json AnyOf(std::vector<Json> choices) {
  Json any = Json(Json::Object());
  Set(any, "anyOf",
      Json(Json::Array(std::make_move_iterator(choices.begin()),
                       std::make_move_iterator(choices.end()))));
  return any;
}

Json ArrayOf(Json items) {
  Json array = Type("array");
  Set(array, "items", std::move(items));
  return array;
}

Json NumberSchema(const Field& field) {
  Json schema = Type(field.kind == Kind::kNumber ? "number" : "integer");
  const Range& range = field.range;
  if (std::isfinite(range.low)) {
    Set(schema, range.low_is_open ? "exclusiveMinimum" : "minimum", Bound(range.low));
  }
  if (std::isfinite(range.high)) Set(schema, "maximum", Bound(range.high));
  if (!range.also.has_value()) return schema;
  Json also = Json(Json::Object());
  Set(also, "const", Bound(*range.also));
  return AnyOf({std::move(schema), std::move(also)});
}

Json StringsSchema(const Field& field) {
  Json one = Type("string");
  Set(one, "minLength", Json(std::int64_t{1}));
  Json several = ArrayOf(one);
  if (field.max_items > 0) {
    Set(several, "maxItems", Json(static_cast<std::int64_t>(field.max_items)));
  }
  return AnyOf({std::move(one), std::move(several)});
}

Json TokenBiasSchema() {
  Json schema = Type("object");
  Json name = Json(Json::Object());
  Set(name, "pattern", Json(std::string("^(0|[1-9][0-9]*)$")));
  Set(schema, "propertyNames", std::move(name));
  Set(schema, "additionalProperties", Type("number"));
  return schema;
}

Json ScopeSchema(Scope scope);

Json ValueSchema(const Field& field) {
  switch (field.kind) {
    case Kind::kBool:
      return Type("boolean");
    case Kind::kInteger:
    case Kind::kNumber:
      return NumberSchema(field);
    case Kind::kString:
      return Type("string");
    case Kind::kStrings:
      return StringsSchema(field);
    case Kind::kIntegers:
    case Kind::kTokenIds:
      return ArrayOf(Type("integer"));
    case Kind::kRows:
      return ArrayOf(ArrayOf(Type("number")));
    case Kind::kTokenBias:
      return TokenBiasSchema();
    case Kind::kObject:
      return Type("object");
    case Kind::kSamplingParams:
      return ScopeSchema(Scope::kSamplingParams);
    case Kind::kHiddenStates: {
      Json last = Json(Json::Object());
      Set(last, "const", Json(std::string("last")));
      return AnyOf({Type("boolean"), std::move(last)});
    }
    case Kind::kSchema:
      return AnyOf({Type("string"), Type("object"), Type("boolean")});
    case Kind::kTag:
      return AnyOf({Type("string"), Type("object")});
    case Kind::kAny:
      break;
  }
  return Json(Json::Object());
}

// Null always means the default; per-prompt fields may be arrays of the same type.
Json FieldSchema(const Field& field) {
  Json value = ValueSchema(field);
  if (field.kind != Kind::kAny) {
    std::vector<Json> choices;
    if (field.name == "token_ids_logprob") choices.push_back(Type("integer"));
    const bool takes_nulls = field.name == "lora_path";
    if (field.per_prompt) {
      choices.push_back(ArrayOf(takes_nulls ? AnyOf({value, Type("null")}) : value));
    }
    choices.push_back(std::move(value));
    choices.push_back(Type("null"));
    value = AnyOf(std::move(choices));
  }
  Set(value, "description",
      Json(std::string(TreatmentPhrase(field.treatment)) + std::string(field.summary)));
  return value;
}

Json ScopeSchema(Scope scope) {
  Json properties = Json(Json::Object());
  for (const Field& field : Fields()) {
    if (field.scope == scope) Set(properties, field.name, FieldSchema(field));
  }
  Json schema = Type("object");
  Set(schema, "properties", std::move(properties));
  if (scope == Scope::kSamplingParams) Set(schema, "additionalProperties", Json(false));
  return schema;
}

}  // namespace

std::string FieldsTable() {
  std::string out;
  AppendScope(out, Scope::kRecord, "Fields of a record ([+]: or an array, one value per prompt)");
  out += "\n";
  AppendScope(out, Scope::kSamplingParams, "Inside sampling_params");
  return out;
}

std::vector<FieldEntry> FieldEntries() {
  std::vector<FieldEntry> entries;
  for (const Field& field : Fields()) {
    std::string type = WithoutArticle(KindPhrase(field.kind));
    const std::string range = field.range.ToString();
    if (!range.empty() && field.name != "sampling_seed") type += " " + range;
    if (field.per_prompt) type += ", or an array with one per prompt";
    type += ", default " + std::string(field.default_json);
    std::string summary =
        std::string(TreatmentPhrase(field.treatment)) + std::string(field.summary) + ".";
    summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
    entries.push_back({field.scope, std::string(field.name), std::move(type), std::move(summary),
                       std::string(field.details)});
  }
  return entries;
}

Json InputSchema() {
  Json schema = Json(Json::Object());
  Set(schema, "$schema", Json(std::string("https://json-schema.org/draft/2020-12/schema")));
  Set(schema, "title", Json(std::string("GenerateReqInput, one line of a batch")));
  Json record = ScopeSchema(Scope::kRecord);
  for (Json::Member& member : record.as_object()) {
    Set(schema, member.first, std::move(member.second));
  }
  return schema;
}

}  // namespace sglrun::request
