// The keywords are said once for all drafts, by what their values must be. Published are the
// results: https://json-schema.org/specification-links.
#include "grammar/json_schema/metaschema.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "grammar/json_schema/keywords.h"

namespace sglrun::grammar {
namespace {

using D = SchemaDraft;

// What a document says: all of a draft up to 7, one vocabulary of a later one.
enum class Part : std::uint8_t {
  kWhole,  // besides the vocabularies
  kCore,
  kApplicator,
  kUnevaluated,
  kValidation,
  kMetaData,
  kFormat,
  kContent,
};
using P = Part;

struct KeywordGroup {
  std::string_view name;
  Part part;
  D first = D::k2019, last = D::k2020;
};
constexpr KeywordGroup kVocabularies[] = {
    {"core", P::kCore},
    {"applicator", P::kApplicator},
    {"unevaluated", P::kUnevaluated, D::k2020},
    {"validation", P::kValidation},
    {"meta-data", P::kMetaData},
    {"format", P::kFormat, D::k2019, D::k2019},
    {"format-annotation", P::kFormat, D::k2020},
    {"content", P::kContent},
};
constexpr KeywordGroup kFormatAssertion = {"format-assertion", P::kFormat, D::k2020};

// Members of "properties" or of the definitions. In a value, @ stands for any schema, and @name for
// a definition. The keys of a schema that is generated come in this order.
struct Member {
  std::string_view names;  // separated by blanks
  std::string_view value;
  Part part;
  D first = D::k4, last = D::k2020;
};

constexpr std::string_view kString = R"({"type": "string"})";
constexpr std::string_view kBoolean = R"({"type": "boolean"})";
constexpr std::string_view kNumber = R"({"type": "number"})";
constexpr std::string_view kUri = R"({"type": "string", "format": "uri"})";
constexpr std::string_view kReference = R"({"type": "string", "format": "uri-reference"})";
constexpr std::string_view kAnchor =
    R"({"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"})";
constexpr std::string_view kSchemas = R"({"type": "object", "additionalProperties": @})";
constexpr std::string_view kCount = R"({"type": "integer", "minimum": 0})";

constexpr Member kProperties[] = {
    {"id $schema", kString, P::kCore, D::k4, D::k4},
    {"$id", kReference, P::kCore, D::k6, D::k7},
    {"$id", R"({"type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$"})", P::kCore,
     D::k2019},
    {"$schema", kUri, P::kCore, D::k6},
    {"$anchor", R"({"type": "string", "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$"})", P::kCore,
     D::k2019, D::k2019},
    {"$anchor $dynamicAnchor", "@anchorString", P::kCore, D::k2020},
    {"$ref", kReference, P::kCore, D::k6},
    {"$recursiveRef", kReference, P::kCore, D::k2019, D::k2019},
    {"$recursiveAnchor", kBoolean, P::kCore, D::k2019, D::k2019},
    {"$dynamicRef", "@uriReferenceString", P::kCore, D::k2020},
    {"$vocabulary",
     R"({"type": "object", "propertyNames": {"type": "string", "format": "uri"},
         "additionalProperties": {"type": "boolean"}})",
     P::kCore, D::k2019},
    {"$comment", kString, P::kCore, D::k7},
    {"$defs", kSchemas, P::kCore, D::k2019},
    {"title description", kString, P::kMetaData},
    {"default", "{}", P::kMetaData},
    {"deprecated", kBoolean, P::kMetaData, D::k2019},
    {"readOnly writeOnly", kBoolean, P::kMetaData, D::k7},
    {"examples", R"({"type": "array"})", P::kMetaData, D::k6},
    {"type",
     R"({"anyOf": [@simpleTypes, {"type": "array", "items": @simpleTypes, "minItems": 1,
         "uniqueItems": true}]})",
     P::kValidation},
    {"const", "{}", P::kValidation, D::k6},
    {"enum", R"({"type": "array", "minItems": 1, "uniqueItems": true})", P::kValidation, D::k4,
     D::k6},
    {"enum", R"({"type": "array"})", P::kValidation, D::k7},
    {"prefixItems", "@schemaArray", P::kApplicator, D::k2020},
    {"items", R"({"anyOf": [@, @schemaArray]})", P::kApplicator, D::k4, D::k2019},
    {"items", "@", P::kApplicator, D::k2020},
    {"additionalItems", R"({"anyOf": [{"type": "boolean"}, @]})", P::kApplicator, D::k4, D::k4},
    {"additionalItems", "@", P::kApplicator, D::k6, D::k2019},
    {"contains", "@", P::kApplicator, D::k6},
    {"unevaluatedItems unevaluatedProperties", "@", P::kApplicator, D::k2019, D::k2019},
    {"unevaluatedItems unevaluatedProperties", "@", P::kUnevaluated, D::k2020},
    {"properties", kSchemas, P::kApplicator},
    {"patternProperties", kSchemas, P::kApplicator, D::k4, D::k4},
    {"patternProperties",
     R"({"type": "object", "propertyNames": {"format": "regex"}, "additionalProperties": @})",
     P::kApplicator, D::k6},
    {"additionalProperties", R"({"anyOf": [{"type": "boolean"}, @]})", P::kApplicator, D::k4,
     D::k4},
    {"additionalProperties", "@", P::kApplicator, D::k6},
    {"dependentSchemas", kSchemas, P::kApplicator, D::k2019},
    {"propertyNames", "@", P::kApplicator, D::k6},
    {"if then else", "@", P::kApplicator, D::k7},
    {"allOf anyOf oneOf", "@schemaArray", P::kApplicator},
    {"not", "@", P::kApplicator},
    {"required", "@stringArray", P::kValidation},
    {"dependentRequired", R"({"type": "object", "additionalProperties": @stringArray})",
     P::kValidation, D::k2019},
    {"multipleOf", R"({"type": "number", "minimum": 0, "exclusiveMinimum": true})", P::kValidation,
     D::k4, D::k4},
    {"multipleOf", R"({"type": "number", "exclusiveMinimum": 0})", P::kValidation, D::k6},
    {"minimum maximum", kNumber, P::kValidation},
    {"exclusiveMinimum exclusiveMaximum", kBoolean, P::kValidation, D::k4, D::k4},
    {"exclusiveMinimum exclusiveMaximum", kNumber, P::kValidation, D::k6},
    {"minLength minItems minProperties", "@positiveIntegerDefault0", P::kValidation, D::k4, D::k4},
    {"maxLength maxItems maxProperties", "@positiveInteger", P::kValidation, D::k4, D::k4},
    {"minLength minItems minProperties", "@nonNegativeIntegerDefault0", P::kValidation, D::k6},
    {"maxLength maxItems maxProperties", "@nonNegativeInteger", P::kValidation, D::k6},
    {"minContains maxContains", "@nonNegativeInteger", P::kValidation, D::k2019},
    {"pattern", R"({"type": "string", "format": "regex"})", P::kValidation},
    {"uniqueItems", kBoolean, P::kValidation},
    {"format", kString, P::kFormat},
    {"contentMediaType contentEncoding", kString, P::kContent, D::k7},
    {"contentSchema", "@", P::kContent, D::k2019},
    {"definitions", kSchemas, P::kWhole},
    {"dependencies", R"({"type": "object", "additionalProperties": {"anyOf": [@, @stringArray]}})",
     P::kWhole},
    // Of the draft before, with another meaning.
    {"$recursiveAnchor", "@anchorString", P::kWhole, D::k2020},
    {"$recursiveRef", "@uriReferenceString", P::kWhole, D::k2020},
};

constexpr Member kDefinitions[] = {
    {"anchorString", kAnchor, P::kCore, D::k2020},
    {"uriString", kUri, P::kCore, D::k2020},
    {"uriReferenceString", kReference, P::kCore, D::k2020},
    {"schemaArray", R"({"type": "array", "minItems": 1, "items": @})", P::kApplicator},
    {"positiveInteger positiveIntegerDefault0", kCount, P::kValidation, D::k4, D::k4},
    {"nonNegativeInteger nonNegativeIntegerDefault0", kCount, P::kValidation, D::k6},
    {"simpleTypes",
     R"({"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]})",
     P::kValidation},
    {"stringArray",
     R"({"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true})",
     P::kValidation, D::k4, D::k4},
    {"stringArray", R"({"type": "array", "items": {"type": "string"}, "uniqueItems": true})",
     P::kValidation, D::k6},
};

constexpr bool HasVocabularies(D draft) {
  return draft >= D::k2019;
}

// Calls visit(name) for each.
template <class Visit>
void ForEachName(std::string_view names, const Visit& visit) {
  while (!names.empty()) {
    const std::size_t blank = std::min(names.find(' '), names.size());
    visit(names.substr(0, blank));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

class Writer {
 public:
  explicit Writer(D draft) : draft_(draft) {}

  // kWhole up to draft 7: everything.
  std::string Text(Part part, const std::string& uri) const {
    std::string text = "{\"$schema\": " + Quoted(SchemaUri()) + ", ";
    text += draft_ == D::k4 ? "\"id\": " : "\"$id\": ";
    text += Quoted(uri);
    if (draft_ == D::k2019) text += R"(, "$recursiveAnchor": true)";
    if (draft_ == D::k2020) text += R"(, "$dynamicAnchor": "meta")";
    text += draft_ == D::k4 ? R"(, "type": "object")" : R"(, "type": ["object", "boolean"])";
    if (part == P::kWhole && HasVocabularies(draft_)) text += ", \"allOf\": [" + AllParts() + "]";
    text += ", \"properties\": {" + Members(kProperties, part) + "}";
    text += ", " + Quoted(Definitions()) + ": {" + Members(kDefinitions, part) + "}";
    if (draft_ == D::k4) {
      text += R"(, "dependencies": {"exclusiveMaximum": ["maximum"],
                                    "exclusiveMinimum": ["minimum"]})";
    }
    return text + "}";
  }

  std::string SchemaUri() const {
    switch (draft_) {
      case D::k4:
        return "http://json-schema.org/draft-04/schema#";
      case D::k6:
        return "http://json-schema.org/draft-06/schema#";
      case D::k7:
        return "http://json-schema.org/draft-07/schema#";
      default:
        return Base() + "schema";
    }
  }
  std::string VocabularyUri(std::string_view name) const {
    return Base() + "meta/" + std::string(name);
  }

 private:
  std::string Base() const {
    return draft_ == D::k2019 ? "https://json-schema.org/draft/2019-09/"
                              : "https://json-schema.org/draft/2020-12/";
  }
  const char* Definitions() const { return HasVocabularies(draft_) ? "$defs" : "definitions"; }

  std::string AllParts() const {
    std::string all;
    for (const KeywordGroup& vocabulary : kVocabularies) {
      if (draft_ < vocabulary.first || draft_ > vocabulary.last) continue;
      all += (all.empty() ? "{\"$ref\": " : ", {\"$ref\": ");
      all += Quoted(VocabularyUri(vocabulary.name)) + "}";
    }
    return all;
  }

  std::string Members(std::span<const Member> members, Part part) const {
    std::string all;
    for (const Member& member : members) {
      if (draft_ < member.first || draft_ > member.last) continue;
      if (member.part != part && HasVocabularies(draft_)) continue;
      ForEachName(member.names, [&](std::string_view name) {
        all += (all.empty() ? "" : ", ") + Quoted(name) + ": " + Value(member.value);
      });
    }
    return all;
  }

  std::string Value(std::string_view value) const {
    std::string text;
    while (!value.empty()) {
      const std::size_t sign = std::min(value.find('@'), value.size());
      text += value.substr(0, sign);
      value.remove_prefix(sign);
      if (value.empty()) break;
      const std::size_t end = std::min(value.find_first_of(",]} "), value.size());
      text += Reference(value.substr(1, end - 1));
      value.remove_prefix(end);
    }
    return text;
  }

  std::string Reference(std::string_view definition) const {
    if (definition.empty()) {
      return draft_ == D::k2020   ? R"({"$dynamicRef": "#meta"})"
             : draft_ == D::k2019 ? R"({"$recursiveRef": "#"})"
                                  : R"({"$ref": "#"})";
    }
    const std::string fragment = std::string("#/") + Definitions() + "/" + std::string(definition);
    return "{\"$ref\": " + Quoted(Home(definition) + fragment) + "}";
  }

  // The document that has the definition; "" for the same one.
  std::string Home(std::string_view definition) const {
    if (!HasVocabularies(draft_)) return "";
    const auto* const member = std::ranges::find_if(kDefinitions, [&](const Member& m) {
      return draft_ >= m.first && draft_ <= m.last && m.names.find(definition) != m.names.npos;
    });
    const auto* const vocabulary = std::ranges::find_if(
        kVocabularies, [&](const KeywordGroup& v) { return v.part == member->part; });
    return VocabularyUri(vocabulary->name);
  }

  D draft_;
};

std::optional<std::string> VocabularyText(D draft, std::string_view uri) {
  const Writer writer(draft);
  const auto text_of = [&](const KeywordGroup& v) -> std::optional<std::string> {
    if (draft < v.first || draft > v.last || uri != writer.VocabularyUri(v.name)) return {};
    return writer.Text(v.part, std::string(uri));
  };
  for (const KeywordGroup& vocabulary : kVocabularies) {
    if (auto text = text_of(vocabulary)) return text;
  }
  return text_of(kFormatAssertion);
}

}  // namespace

std::optional<std::string> MetaschemaText(std::string_view uri) {
  for (const D draft : {D::k2019, D::k2020}) {
    if (auto text = VocabularyText(draft, uri)) return text;
  }
  const auto draft = DraftOf(uri);
  if (!draft || !uri.ends_with("/schema")) return std::nullopt;
  const Writer writer(*draft);
  return writer.Text(P::kWhole, writer.SchemaUri());
}

}  // namespace sglrun::grammar
