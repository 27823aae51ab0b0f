#include "grammar/json_schema/metaschema.h"

// Before doctest: both have a CHECK, and a test means its own.
#include "schema_helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

std::string ReferenceTo(const std::string& uri) {
  return R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": ")" + uri + "\"}";
}

void Check(const std::string& uri, std::initializer_list<const char*> valid,
           std::initializer_list<const char*> invalid) {
  CAPTURE(uri);
  const CompiledSchema schema = CompileSchema(ReferenceTo(uri));
  REQUIRE_MESSAGE(schema.verdict == "ok", schema.message);
  for (const char* text : valid) CHECK_MESSAGE(schema.Accepts(text), text);
  for (const char* text : invalid) CHECK_FALSE_MESSAGE(schema.Accepts(text), text);
}

TEST_CASE("a reference to the metaschema of a draft means schemas of that draft") {
  for (const char* uri :
       {"http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema"}) {
    Check(uri,
          {"true", "{}", R"({"type":"integer"})", R"({"properties":{"a":{"items":{"minimum":3}}}})",
           R"({"type":["object","null"]})", R"({"additionalProperties":false})",
           R"({"exclusiveMinimum":0.5})", R"({"anyOf":[{"pattern":"^a(b|c)$"}]})",
           R"({"patternProperties":{"^x-":{}}})"},
          {"3", R"({"type":"int"})", R"({"type":["object","object"]})", R"({"minLength":-1})",
           R"({"properties":{"a":{"items":{"minimum":"3"}}}})", R"({"anyOf":[]})",
           R"({"pattern":"^a("})", R"({"patternProperties":{"(":{}}})", R"({"multipleOf":0})",
           R"({"$ref":"a b"})"});
  }
}

TEST_CASE("each draft has keywords and forms of its own") {
  Check(
      "http://json-schema.org/draft-04/schema#",
      {R"({"maximum":3,"exclusiveMaximum":true})", R"({"id":"a"})", R"({"if":3})"},
      {"true", R"({"exclusiveMaximum":true})", R"({"required":[]})", R"({"exclusiveMaximum":3})"});
  Check("http://json-schema.org/draft-07/schema#",
        {R"({"items":[{"if":{}}]})", R"({"required":[]})"}, {R"({"if":3})"});
  Check("https://json-schema.org/draft/2020-12/schema",
        {R"({"$anchor":"_a"})", R"({"prefixItems":[true]})",
         R"({"$defs":{"a":{"dependentSchemas":{}}}})"},
        {R"({"items":[{}]})", R"({"$defs":{"a":{"dependentSchemas":[]}}})", R"({"$id":"a#b"})"});
  Check("https://json-schema.org/draft/2020-12/meta/validation", {R"({"minLength":1,"items":[3]})"},
        {R"({"minLength":"1"})"});
}

TEST_CASE("parts of a metaschema can be referred to") {
  Check("http://json-schema.org/draft-04/schema#/definitions/positiveInteger", {"0", "7"},
        {"-1", "1.5"});
  Check("http://json-schema.org/draft-07/schema#/definitions/simpleTypes", {"\"array\""},
        {"\"int\""});
  Check("https://json-schema.org/draft/2019-09/meta/validation#/$defs/stringArray", {R"(["a"])"},
        {R"(["a","a"])"});
  const CompiledSchema missing = CompileSchema(
      ReferenceTo("http://json-schema.org/draft-07/schema#/definitions/positiveInteger"));
  CHECK(missing.verdict == "invalid");
  CHECK(missing.pointer == "/$ref");
}

TEST_CASE("a schema that extends a metaschema means itself by the dynamic anchor") {
  const CompiledSchema schema = CompileSchema(R"({
      "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x.example/strict",
      "$dynamicAnchor": "meta", "$ref": "https://json-schema.org/draft/2020-12/schema",
      "required": ["type"]})");
  REQUIRE_MESSAGE(schema.verdict == "ok", schema.message);
  CHECK(schema.Accepts(R"({"not":{"type":"null"},"type":"null"})"));
  CHECK_FALSE(schema.Accepts(R"({"not":{},"type":"null"})"));
}

TEST_CASE("other documents stay outside, and a document may have the id of a metaschema") {
  for (const char* uri :
       {"http://json-schema.org/draft-07/hyper-schema", "http://json-schema.org/draft-03/schema",
        "https://json-schema.org/draft/2020-12/meta/format",
        "http://json-schema.org/draft-07/links", "https://x.example/draft-07/schema"}) {
    CHECK_FALSE(MetaschemaText(uri).has_value());
    CHECK(CompileSchema(ReferenceTo(uri)).verdict == "unsupported");
  }
  const CompiledSchema own = CompileSchema(R"({"$ref": "http://json-schema.org/draft-07/schema#",
      "$defs": {"own": {"$id": "http://json-schema.org/draft-07/schema", "const": 1}}})");
  CHECK(own.Accepts("1"));
  CHECK_FALSE(own.Accepts("{}"));
}

}  // namespace
}  // namespace sglrun::grammar
