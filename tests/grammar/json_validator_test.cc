#include "json_validator.h"

#include <fstream>

// Before doctest: both have a CHECK, and a test means its own.
#include "base/json.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

struct Case {
  const char* schema;
  std::initializer_list<const char*> valid, invalid;
};

void Check(const Case& c, JsonValidator::Options options = {}) {
  const JsonValidator validator(c.schema, options);
  CAPTURE(c.schema);
  for (const char* instance : c.valid) {
    CAPTURE(instance);
    CHECK(validator.IsValid(instance));
  }
  for (const char* instance : c.invalid) {
    CAPTURE(instance);
    CHECK_FALSE(validator.IsValid(instance));
  }
  CHECK_EQ(validator.error(), "");
}

TEST_CASE("the validator agrees with the public examples") {
  std::ifstream file(SGLRUN_SOURCE_DIR "/tests/data/json_schema_examples.jsonl");
  int schemas = 0, instances = 0;
  for (std::string line; std::getline(file, line); ++schemas) {
    const Json record = ParseJson(line, {.keep_number_text = true}).value().value;
    const JsonValidator validator(record.Find("schema")->Dump());
    CAPTURE(line);
    for (const Json& test : record.Find("tests")->as_array()) {
      CAPTURE(test.Dump());
      CHECK_EQ(validator.IsValid(test.Find("data")->Dump()), test.Find("valid")->as_bool());
      ++instances;
    }
    CHECK_EQ(validator.error(), "");
  }
  CHECK_EQ(schemas, 109);
  CHECK_EQ(instances, 419);
}

TEST_CASE("the validator compares numbers exactly") {
  Check({R"({"exclusiveMaximum": 5})",
         {"4.99999999999999999999999999999999999999", "-6", "\"5\"", "49e-1", "5e-1"},
         {"5", "5.0", "5e0", "5.0000000000000000000000000000001", "1e20"}});
  Check({R"({"minimum": -0.5, "multipleOf": 0.01})",
         {"-0.5", "0", "1.10", "1e2", "33e-2"},
         {"-0.51", "0.001", "1.005"}});
  Check({R"({"type": "integer"})", {"1", "1.0", "10e-1", "-0"}, {"1.5", "1e-1", "\"1\"", "null"}});
  Check({R"({"$schema": "http://json-schema.org/draft-04/schema#",
             "maximum": 3, "exclusiveMaximum": true})",
         {"2"},
         {"3", "4"}});
  Check({R"({"enum": [1.0, [2e0], {"a": 3}]})", {"1", "[2]", "{\"a\":3.0}"}, {"true", "[1]"}});
}

TEST_CASE("the validator knows strings, arrays and objects") {
  Check({R"({"minLength": 2, "maxLength": 3, "pattern": "^\\u0061|b$"})",
         {"\"ab\"", "\"xb\"", "\"a\\ud83d\\ude00\"", "7"},
         {"\"a\"", "\"abcd\"", "\"cc\""}});
  Check({R"({"prefixItems": [{"type": "null"}], "items": {"type": "number"}, "minItems": 1,
             "uniqueItems": true})",
         {"[null]", "[null, 1, 2]"},
         {"[]", "[1]", "[null, \"x\"]", "[null, 1, 1.0]"}});
  Check({R"({"$schema": "http://json-schema.org/draft-07/schema#",
             "items": [{"type": "null"}], "additionalItems": false})",
         {"[]", "[null]"},
         {"[1]", "[null, null]"}});
  Check({R"({"contains": {"const": 1}, "minContains": 2, "maxContains": 3})",
         {"[1, 1]", "[1, 0, 1, 1]"},
         {"[]", "[1]", "[1, 1, 1, 1]"}});
  Check({R"({"contains": {"const": 1}})", {"[1]", "{}"}, {"[]", "[2]"}});
  Check({R"({"properties": {"a": {"type": "null"}}, "patternProperties": {"^b": {"type": "string"}},
             "additionalProperties": {"type": "number"}, "required": ["a"], "maxProperties": 3,
             "propertyNames": {"maxLength": 2}})",
         {"{\"a\":null}", "{\"a\":null,\"b\":\"\",\"c\":1}"},
         {"{}", "{\"a\":1}", "{\"a\":null,\"b\":1}", "{\"a\":null,\"c\":\"\"}",
          "{\"a\":null,\"ccc\":1}", "{\"a\":null,\"b\":\"\",\"c\":1,\"d\":1}"}});
  Check({R"({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}},
             "dependencies": {"e": ["f"], "g": {"required": ["h"]}}})",
         {"{}", "{\"a\":1,\"b\":1}", "{\"g\":1,\"h\":1}"},
         {"{\"a\":1}", "{\"c\":1}", "{\"e\":1}", "{\"g\":1}"}});
}

TEST_CASE("the validator knows combinators and what they leave unevaluated") {
  Check({R"({"oneOf": [{"minimum": 2}, {"maximum": 4}], "not": {"const": 7}})",
         {"1", "9"},
         {"3", "7", "\"x\""}});
  Check({R"({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "null"}})",
         {"\"a\"", "null"},
         {"\"\"", "1"}});
  Check({R"({"allOf": [{"properties": {"a": true}}, {"if": {"required": ["b"]},
             "then": {"properties": {"b": true}}}], "unevaluatedProperties": false})",
         {"{}", "{\"a\":1,\"b\":1}"},
         {"{\"c\":1}", "{\"a\":1,\"c\":1}"}});
  Check({R"({"anyOf": [{"prefixItems": [true, true]}, {"prefixItems": [{"const": 1}]}],
             "unevaluatedItems": false})",
         {"[1, 2]", "[]"},
         {"[1, 2, 3]"}});
  Check({R"({"not": {"properties": {"a": {"type": "null"}}}, "unevaluatedProperties": false})",
         {},
         {"{\"a\":1}"}});
}

TEST_CASE("the validator follows references") {
  Check({R"({"$defs": {"a/b~c": {"type": "null"}, "l": {"items": {"$ref": "#/$defs/l"},
             "type": "array"}}, "anyOf": [{"$ref": "#/$defs/a~1b~0c"}, {"$ref": "#/%24defs/l"}]})",
         {"null", "[]", "[[[]]]"},
         {"1", "[[1]]"}});
  Check({R"({"$ref": "#x", "maximum": 3, "$defs": {"x": {"$anchor": "x", "minimum": 2}}})",
         {"2"},
         {"1", "4"}});
  Check({R"({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/x",
             "maximum": 3, "definitions": {"x": {"minimum": 2}}})",
         {"2", "4"},
         {"1"}});
  Check({R"({"$id": "http://x.y/root", "$ref": "b.json#/$defs/c", "$defs": {"b": {"$id": "b.json",
             "$defs": {"c": {"$ref": "d"}, "d": {"$id": "d", "const": 1}}}}})",
         {"1"},
         {"2"}});
  Check({R"({"$id": "http://x.y/tree", "$dynamicAnchor": "node", "type": "object",
             "properties": {"n": {"$dynamicRef": "#node"}}})",
         {"{\"n\":{}}"},
         {"{\"n\":1}"}});
  CHECK_FALSE(JsonValidator(R"({"$ref": "#"})").IsValid("1"));
  const JsonValidator missing(R"({"$ref": "#/nowhere"})");
  CHECK_FALSE(missing.IsValid("1"));
  CHECK_EQ(missing.error(), "no target for $ref #/nowhere");
}

TEST_CASE("the validator asserts formats when asked") {
  const char* const schema = R"({"anyOf": [{"format": "date-time", "minLength": 17},
                                           {"format": "ipv6", "maxLength": 16}]})";
  Check({schema,
         {"\"2024-02-29T23:59:60Z\"", "\"::1\"", "1"},
         {"\"2023-02-29T00:00:00Z\"", "\"2024-02-29T22:59:60Z\"", "\"::g\""}},
        {.assert_format = true});
  Check({schema, {"\"x\"", "\"2023-02-29T00:00:00Z\""}, {}});
}

}  // namespace
}  // namespace sglrun::grammar
