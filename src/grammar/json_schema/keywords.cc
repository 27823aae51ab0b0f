#include "grammar/json_schema/keywords.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/strings.h"
#include "grammar/base/json_text.h"

namespace sglrun::grammar {
namespace {

using V = KeywordValue;
using E = KeywordEffect;

constexpr auto kKeywords = std::to_array<Keyword>({
    {"$anchor", V::kString, E::kStructure},
    {"$comment", V::kString, E::kNone},
    {"$defs", V::kSchemaMap, E::kStructure},
    {"$dynamicAnchor", V::kString, E::kStructure},
    {"$dynamicRef", V::kString, E::kStructure},
    {"$id", V::kString, E::kStructure},
    {"$recursiveAnchor", V::kBoolean, E::kStructure},
    {"$recursiveRef", V::kString, E::kStructure},
    {"$ref", V::kString, E::kStructure},
    {"$schema", V::kString, E::kStructure},
    {"$vocabulary", V::kObject, E::kNone},
    {"additionalItems", V::kSchema, E::kAsserts},
    {"additionalProperties", V::kSchema, E::kAsserts},
    {"allOf", V::kSchemas, E::kAsserts},
    {"anyOf", V::kSchemas, E::kAsserts},
    {"const", V::kAnything, E::kAsserts},
    {"contains", V::kSchema, E::kAsserts},
    {"contentEncoding", V::kString, E::kNone},
    {"contentMediaType", V::kString, E::kNone},
    {"contentSchema", V::kSchema, E::kNone},
    {"default", V::kAnything, E::kNone},
    {"definitions", V::kSchemaMap, E::kStructure},
    {"dependencies", V::kDependencies, E::kAsserts},
    {"dependentRequired", V::kStringLists, E::kAsserts},
    {"dependentSchemas", V::kSchemaMap, E::kAsserts},
    {"deprecated", V::kBoolean, E::kNone},
    {"description", V::kAnything, E::kNone},
    {"else", V::kSchema, E::kAsserts},
    {"enum", V::kList, E::kAsserts},
    {"examples", V::kAnything, E::kNone},
    {"exclusiveMaximum", V::kExclusiveBound, E::kAsserts},
    {"exclusiveMinimum", V::kExclusiveBound, E::kAsserts},
    {"format", V::kString, E::kAsserts},
    {"if", V::kSchema, E::kAsserts},
    {"items", V::kItems, E::kAsserts},
    {"maxContains", V::kCount, E::kAsserts},
    {"maxItems", V::kCount, E::kAsserts},
    {"maxLength", V::kCount, E::kAsserts},
    {"maxProperties", V::kCount, E::kAsserts},
    {"maximum", V::kNumber, E::kAsserts},
    {"minContains", V::kCount, E::kAsserts},
    {"minItems", V::kCount, E::kAsserts},
    {"minLength", V::kCount, E::kAsserts},
    {"minProperties", V::kCount, E::kAsserts},
    {"minimum", V::kNumber, E::kAsserts},
    {"multipleOf", V::kPositiveNumber, E::kAsserts},
    {"not", V::kSchema, E::kAsserts},
    {"oneOf", V::kSchemas, E::kAsserts},
    {"pattern", V::kString, E::kAsserts},
    {"patternProperties", V::kSchemaMap, E::kAsserts},
    {"prefixItems", V::kSchemas, E::kAsserts},
    {"properties", V::kSchemaMap, E::kAsserts},
    {"propertyNames", V::kSchema, E::kAsserts},
    {"readOnly", V::kBoolean, E::kNone},
    {"required", V::kStrings, E::kAsserts},
    {"then", V::kSchema, E::kAsserts},
    {"title", V::kAnything, E::kNone},
    {"type", V::kTypes, E::kAsserts},
    {"unevaluatedItems", V::kSchema, E::kAsserts},
    {"unevaluatedProperties", V::kSchema, E::kAsserts},
    {"uniqueItems", V::kBoolean, E::kAsserts},
    {"writeOnly", V::kBoolean, E::kNone},
});

constexpr std::string_view kTypeNames[] = {"null",   "boolean", "integer", "number",
                                           "string", "array",   "object"};

bool IsSchema(const Json& value) {
  return value.is_object() || value.is_bool();
}

bool IsCount(const Json& value) {
  if (!value.is_number()) return false;
  const auto decimal = DecimalOf(value);
  return decimal.ok() && decimal->IsInteger() && !decimal->is_negative();
}

bool IsStrings(const Json& value) {
  return value.is_array() && std::all_of(value.as_array().begin(), value.as_array().end(),
                                         [](const Json& item) { return item.is_string(); });
}

template <class Test>
bool AllMembers(const Json& value, Test test) {
  return value.is_object() && std::all_of(value.as_object().begin(), value.as_object().end(),
                                          [&](const auto& member) { return test(member.second); });
}

bool IsSchemas(const Json& value) {
  return value.is_array() && !value.as_array().empty() &&
         std::all_of(value.as_array().begin(), value.as_array().end(), IsSchema);
}

std::string But(const char* must_be, const Json& value) {
  return std::string("must be ") + must_be + ", but is " + value.Excerpt();
}

std::optional<std::string> FaultOfTypes(const Json& value) {
  const auto fault_of_name = [](const Json& name) -> std::optional<std::string> {
    if (!name.is_string()) return But("a name of a type or a list of them", name);
    if (std::find(std::begin(kTypeNames), std::end(kTypeNames), name.as_string()) !=
        std::end(kTypeNames)) {
      return std::nullopt;
    }
    std::string fault = "names " + name.Excerpt() + ", which is not a JSON type";
    const std::string nearest = NearestName(name.as_string(), kTypeNames);
    if (!nearest.empty()) fault += "; did you mean \"" + nearest + "\"?";
    return fault;
  };
  if (!value.is_array()) return fault_of_name(value);
  if (value.as_array().empty()) return But("a name of a type or a list of them", value);
  for (const Json& name : value.as_array()) {
    if (auto fault = fault_of_name(name)) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SchemaDraft> DraftOf(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri.ends_with('/')) uri.remove_suffix(1);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (uri.starts_with(scheme)) {
      uri.remove_prefix(scheme.size());
      break;
    }
  }
  constexpr std::string_view kHost = "json-schema.org/";
  if (!uri.starts_with(kHost)) return std::nullopt;
  uri.remove_prefix(kHost.size());
  if (uri == "draft-04/schema" || uri == "draft-04/hyper-schema") return SchemaDraft::k4;
  if (uri == "draft-06/schema" || uri == "draft-06/hyper-schema") return SchemaDraft::k6;
  if (uri == "draft-07/schema" || uri == "draft-07/hyper-schema") return SchemaDraft::k7;
  if (uri == "draft/2019-09/schema" || uri == "draft/2019-09/hyper-schema")
    return SchemaDraft::k2019;
  if (uri == "draft/2020-12/schema" || uri == "draft/2020-12/hyper-schema")
    return SchemaDraft::k2020;
  if (uri == "schema") return SchemaDraft::k2020;  // "the latest"
  return std::nullopt;
}

std::span<const Keyword> AllKeywords() {
  return kKeywords;
}

const Keyword* FindKeyword(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Keyword*> map;
    for (const Keyword& keyword : kKeywords) map.emplace(keyword.name, &keyword);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::optional<std::string> FaultOf(const Keyword& keyword, const Json& value, Dialect dialect) {
  const auto unless = [&](bool fine, const char* must_be) -> std::optional<std::string> {
    if (fine) return std::nullopt;
    return But(must_be, value);
  };
  const bool lenient = !dialect.declared;
  switch (keyword.value) {
    case V::kAnything:
      return std::nullopt;
    case V::kBoolean:
      return unless(value.is_bool(), "a boolean");
    case V::kString:
      return unless(value.is_string(), "a string");
    case V::kNumber:
      return unless(value.is_number(), "a number");
    case V::kPositiveNumber: {
      const bool above_zero = value.is_number() && [&] {
        const auto decimal = DecimalOf(value);
        return !decimal.ok() || (!decimal->is_zero() && !decimal->is_negative());
      }();
      return unless(above_zero, "a number above 0");
    }
    case V::kCount:
      return unless(IsCount(value), "an integer from 0");
    case V::kExclusiveBound:
      if (value.is_bool()) return unless(lenient || dialect.draft == SchemaDraft::k4, "a number");
      return unless(value.is_number(), "a number");
    case V::kTypes:
      return FaultOfTypes(value);
    case V::kList:
      return unless(value.is_array(), "a list");
    case V::kStrings:
      return unless(IsStrings(value), "a list of strings");
    case V::kStringLists:
      return unless(AllMembers(value, IsStrings), "an object of lists of strings");
    case V::kObject:
      return unless(value.is_object(), "an object");
    case V::kSchema:
      return unless(IsSchema(value), "a schema");
    case V::kSchemas:
      return unless(IsSchemas(value), "a list of schemas, not empty");
    case V::kSchemaMap:
      return unless(AllMembers(value, IsSchema), "an object of schemas");
    case V::kItems:
      if (value.is_array()) {
        const bool fine = (lenient || dialect.draft < SchemaDraft::k2020) &&
                          std::all_of(value.as_array().begin(), value.as_array().end(), IsSchema);
        return unless(fine, "a schema (a list of them is prefixItems since draft 2020-12)");
      }
      return unless(IsSchema(value), "a schema");
    case V::kDependencies:
      return unless(AllMembers(value, [](const Json& v) { return IsSchema(v) || IsStrings(v); }),
                    "an object of schemas and lists of strings");
  }
  return std::nullopt;
}

std::int64_t CountOf(const Json& value) {
  constexpr std::int64_t kHuge = 1'000'000'000'000'000'000;
  const auto decimal = DecimalOf(value);
  if (!decimal.ok()) return kHuge;
  const auto plain = decimal->Plain(18);
  return plain ? std::stoll(*plain) : kHuge;
}

}  // namespace sglrun::grammar
