// Section 3 of the grammar note as a table: a schema, members, texts that are none. Open objects
// (spec mode) unless a case says otherwise.
#include <initializer_list>

// Before doctest: both have a CHECK, and a test means its own.
#include "json_schema/schema_helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

using Texts = std::initializer_list<const char*>;

void Check(const GrammarOptions& options, const std::string& schema, Texts members, Texts others) {
  CAPTURE(schema);
  const CompiledSchema compiled = CompileSchema(schema, options);
  CHECK_MESSAGE(compiled.verdict == "ok", compiled.message);
  for (const char* text : members) CHECK_MESSAGE(compiled.Accepts(text), text);
  for (const char* text : others) CHECK_MESSAGE(!compiled.Accepts(text), text);
}

void CheckOpen(const std::string& schema, Texts members, Texts others) {
  Check(SpecMode(), schema, members, others);
}
void CheckStrict(const std::string& schema, Texts members, Texts others) {
  Check(StrictMode(), schema, members, others);
}
void CheckVerdict(const char* schema, const char* verdict, const char* pointer) {
  CAPTURE(schema);
  const CompiledSchema compiled = CompileSchema(schema);
  CHECK_MESSAGE(compiled.verdict == verdict, compiled.message);
  CHECK(compiled.pointer == pointer);
  CHECK(compiled.message.find(pointer) != std::string::npos);
}

TEST_CASE("$$ANY$$ is any object or array, not a scalar") {
  CheckOpen("$$ANY$$", {"[1, {\"a\": []}]", "{\"a\": {\"b\": [true, \"c\"]}}", "[]", "{}"},
            {"1", "null", "\"a\"", "true", "", "[1,]"});
}

TEST_CASE("any JSON is allowed by true and {}") {
  for (const char* schema : {"true", "{}"}) {
    CheckOpen(schema, {"1", "null", "\"a\"", "[1, {\"a\": []}]", "{\"a\": {\"b\": true}}"},
              {"", "nul", "[1,]", "{a: 1}", "01"});
  }
}

TEST_CASE("a schema is an object or a boolean") {
  CheckVerdict("3", "invalid", "");
  CheckVerdict("[]", "invalid", "");
  CheckVerdict("{\"a\"", "invalid", "");
  CheckVerdict("false", "unsatisfiable", "");
}

TEST_CASE("a keyword for another type says nothing") {
  CheckOpen(R"({"minLength": 2})", {"1", "\"ab\"", "[]", "{}"}, {"\"a\"", "\"\""});
  CheckOpen(R"({"minimum": 2})", {"\"a\"", "2", "[]"}, {"1.9"});
  CheckOpen(R"({"required": ["a"]})", {"1", "[]", "{\"a\":1}"}, {"{}"});
}

TEST_CASE("type is one name or several") {
  CheckOpen(R"({"type": ["integer", "null"]})", {"1", "null", "-3"}, {"1.5", "\"\"", "true"});
  CheckOpen(R"({"type": "boolean"})", {"true", "false"}, {"null", "0"});
  CheckOpen(R"({"type": ["integer", "number"]})", {"1", "1.5"}, {"\"1\""});
}

TEST_CASE("keywords of one place hold together") {
  CheckOpen(R"({"type": "string", "enum": ["a", 1, "abc"], "maxLength": 2})", {"\"a\""},
            {"1", "\"abc\""});
  CheckOpen(R"({"const": 3, "enum": [1, 3.0, 4]})", {"3"}, {"1", "4"});
  CheckOpen(R"({"allOf": [{"minimum": 2}, {"maximum": 4}], "type": "integer", "multipleOf": 2})",
            {"2", "4"}, {"3", "0", "6"});
  CheckOpen(R"({"pattern": "^a", "minLength": 2, "maxLength": 3, "allOf": [{"pattern": "b$"}]})",
            {"\"ab\"", "\"axb\""}, {"\"a\"", "\"axxb\"", "\"ba\""});
  CheckVerdict(R"({"type": "string", "const": 1})", "unsatisfiable", "");
  CheckVerdict(R"({"enum": []})", "unsatisfiable", "");
}

TEST_CASE("$ref reaches pointers, anchors and resources") {
  CheckOpen(R"({"$defs": {"a/b": {"type": "null"}, "c~d": {"type": "null"}, "e f": {"const": 1}},
                "prefixItems": [{"$ref": "#/$defs/a~1b"}, {"$ref": "#/$defs/c~0d"},
                                {"$ref": "#/$defs/e%20f"}]})",
            {"[null,null,1]"}, {"[1]", "[null,1]", "[null,null,2]"});
  CheckOpen(R"({"$id": "http://a.example/x/y", "$ref": "z#w",
                "definitions": {"q": {"$id": "z", "$defs": {"r": {"$anchor": "w", "const": 7}}}}})",
            {"7"}, {"8"});
  CheckOpen(R"({"components": {"s": {"type": "string"}}, "$ref": "#/components/s"})", {"\"\""},
            {"1"});
}

TEST_CASE("siblings of $ref count since draft 2019-09") {
  CheckOpen(R"({"$defs": {"a": {"type": "integer"}}, "$ref": "#/$defs/a", "minimum": 3})", {"3"},
            {"2", "3.5"});
  CheckOpen(R"({"$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"a": {"type": "integer"}}, "$ref": "#/definitions/a",
                "minimum": 3})",
            {"2"}, {"2.5"});
}

TEST_CASE("a recursive reference is recursion") {
  CheckOpen(R"({"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}},
                "additionalProperties": false})",
            {"{}", "{\"next\":{\"next\":{},\"v\":1}}"},
            {"{\"next\":1}", "{\"next\":{\"v\":\"\"}}"});
  // Two recursive schemas at once.
  CheckOpen(R"({"$defs": {"a": {"properties": {"n": {"$ref": "#/$defs/a"}}},
                          "b": {"properties": {"n": {"$ref": "#/$defs/b"}}, "required": ["n"]}},
                "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]})",
            {"1", "{\"n\":2}", "{\"n\":{\"n\":[]}}"}, {"{}", "{\"n\":{}}"});
}

TEST_CASE("references without a target or an end have a verdict") {
  CheckVerdict(R"({"$ref": "#/$defs/a"})", "invalid", "/$ref");
  CheckVerdict(R"({"properties": {"p": {"$ref": "#nowhere"}}})", "invalid", "/properties/p/$ref");
  CheckVerdict(R"({"$ref": "http://other.example/s"})", "unsupported", "/$ref");
  CheckVerdict(R"({"$ref": "#"})", "invalid", "");
  CheckVerdict(R"({"allOf": [{"anyOf": [{"$ref": "#"}]}]})", "invalid", "");
}

TEST_CASE("$dynamicRef and $recursiveRef with one target are $ref") {
  CheckOpen(R"({"$dynamicAnchor": "n", "type": "array", "items": {"$dynamicRef": "#n"}})",
            {"[]", "[[[]]]"}, {"[1]"});
  CheckOpen(R"({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true,
                "type": "array", "items": {"$recursiveRef": "#"}})",
            {"[[]]"}, {"[1]"});
}

TEST_CASE("$dynamicRef means the anchor of the outermost schema on the way to it") {
  const std::string list =
      R"("list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"},
                                       "$defs": {"any": {"$dynamicAnchor": "item"}}})";
  // The same list, reached in two ways and by itself.
  CheckOpen(
      R"({"properties": {"n": {"$ref": "numbers"}, "s": {"$ref": "strings"}, "l": {"$ref": "list"}},
                "additionalProperties": false, "$defs": {)" +
          list + R"(,
                "numbers": {"$id": "numbers", "$ref": "list",
                            "$defs": {"item": {"$dynamicAnchor": "item", "type": "number"}}},
                "strings": {"$id": "strings", "$ref": "list",
                            "$defs": {"item": {"$dynamicAnchor": "item", "type": "string"}}}}})",
      {R"({"n":[1]})", R"({"s":["a"]})", R"({"l":[1,"a",null]})"},
      {R"({"n":["a"]})", R"({"s":[1]})", R"({"n":[null]})"});
  // The root wins over the schemas that it refers to; a plain $anchor does not.
  CheckOpen(R"({"$ref": "list", "$defs": {"here": {"$dynamicAnchor": "item", "type": "null"}, )" +
                list + "}}",
            {"[null]"}, {"[1]"});
  CheckOpen(
      R"({"$ref": "list", "$defs": {"here": {"$anchor": "item", "type": "null"}, )" + list + "}}",
      {"[null]", "[1]"}, {"1"});
}

TEST_CASE("$recursiveRef means the outermost schema with $recursiveAnchor") {
  const auto tree = [](const std::string& outer_anchor) {
    return R"({"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://x.y/strict",
               )" +
           outer_anchor + R"("$ref": "tree", "maxProperties": 1,
               "$defs": {"tree": {"$id": "tree", "$recursiveAnchor": true, "type": "object",
                                  "additionalProperties": {"$recursiveRef": "#"}}}})";
  };
  CheckOpen(tree(R"("$recursiveAnchor": true, )"), {R"({"a":{"b":{}}})"},
            {R"({"a":{"b":{},"c":{}}})"});
  CheckOpen(tree(""), {R"({"a":{"b":{},"c":{}}})"}, {R"({"a":{},"b":{}})"});
}

TEST_CASE("strict mode closes objects that name properties and say nothing of others") {
  CheckStrict(R"({"properties": {"a": true}})", {"{}", "{\"a\":1}", "3"}, {"{\"b\":1}"});
  CheckOpen(R"({"properties": {"a": true}})", {"{\"b\":1}"}, {});
  CheckStrict(R"({"type": "object"})", {"{\"b\":1}"}, {});
  CheckStrict(R"({"required": ["a"]})", {"{\"a\":1,\"b\":1}"}, {"{}"});
  CheckStrict(R"({"properties": {"a": true}, "additionalProperties": true})", {"{\"a\":1,\"b\":1}"},
              {});
  CheckStrict(R"({"properties": {"a": true}, "unevaluatedProperties": {"type": "null"}})",
              {"{\"a\":1,\"b\":null}"}, {"{\"b\":1}"});
  CheckStrict(R"({"patternProperties": {"^a": true}})", {"{\"a1\":1}"}, {"{\"b\":1}"});
  // Everything that applies in place is one location.
  CheckStrict(R"({"allOf": [{"properties": {"a": true}}, {"properties": {"b": true}}]})",
              {"{\"a\":1,\"b\":1}"}, {"{\"c\":1}"});
  CheckStrict(R"({"properties": {"a": true}, "anyOf": [{"properties": {"b": true}}]})",
              {"{\"a\":1,\"b\":1}"}, {"{\"c\":1}"});
  // Nothing is closed inside not and if.
  CheckStrict(R"({"not": {"properties": {"a": {"const": 1}}, "required": ["a"]}})",
              {"{\"b\":1}", "{\"a\":2,\"b\":1}"}, {"{\"a\":1}", "{\"a\":1,\"b\":1}"});
  CheckStrict(R"({"prefixItems": [{"type": "null"}]})", {"[]", "[null]"}, {"[null,1]"});
  CheckStrict(R"({"prefixItems": [{"type": "null"}], "items": true})", {"[null,1]"}, {"[1]"});
  CheckStrict(R"({"type": "array"})", {"[1,2]"}, {});
  CheckStrict(R"({"x-sglrun": {"mode": "spec"}, "properties": {"a": true}})", {"{\"b\":1}"}, {});
}

TEST_CASE("bounds are exact and exclusive bounds strict") {
  CheckOpen(R"({"exclusiveMinimum": 0})", {"0.1", "1"}, {"0", "0.0", "-0", "-0.0", "-1"});
  CheckOpen(R"({"type": "integer", "minimum": 1.5})", {"2"}, {"1"});
  CheckOpen(R"({"minimum": 2, "exclusiveMinimum": 2, "maximum": 3})", {"2.5", "3"}, {"2", "3.01"});
  CheckOpen(R"({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 2,
                "exclusiveMinimum": true})",
            {"2.1"}, {"2"});
  CheckOpen(R"({"multipleOf": 0.01})", {"4.02", "0"}, {"4.021"});
  CheckOpen(R"({"minimum": 9007199254740993})", {"9007199254740993"}, {"9007199254740992"});
  CheckVerdict(R"({"multipleOf": 0})", "invalid", "/multipleOf");
  CheckVerdict(R"({"properties": {"a": {"multipleOf": 1.234567}}})", "too_large",
               "/properties/a/multipleOf");
}

TEST_CASE("strings are measured and matched decoded") {
  CheckOpen(R"({"type": "string", "maxLength": 2})",
            {"\"ab\"", "\"\\u00e4\\ud83d\\ude00\"", "\"\\n\\/\""}, {"\"abc\"", "\"\\ud83d\""});
  CheckOpen(R"({"pattern": "^\\n\"$"})", {"\"\\n\\\"\""}, {"\"n\\\"\""});
  CheckOpen(R"({"pattern": "b"})", {"\"abc\"", "\"b\""}, {"\"ac\""});
  CheckVerdict(R"({"properties": {"a": {"pattern": "("}}})", "invalid", "/properties/a/pattern");
  CheckVerdict(R"({"pattern": "(a)\\1"})", "unsupported", "/pattern");
}

TEST_CASE("formats are asserted or noted") {
  CheckOpen(R"({"format": "date"})", {"\"2024-02-29\"", "3"}, {"\"2024-02-30\""});
  CheckOpen(R"({"format": "date", "pattern": "^2024"})", {"\"2024-01-01\""}, {"\"2025-01-01\""});
  CheckOpen(R"({"type": "integer", "format": "int32"})", {"2147483647"}, {"2147483648"});
  const CompiledSchema color = CompileSchema(R"({"items": {"format": "color"}})");
  CHECK(color.verdict == "ok");
  CHECK(color.report.notes ==
        std::vector<std::string>{"/items/format: unknown format \"color\" is ignored"});
  GrammarOptions ignore = SpecMode();
  ignore.assert_format = false;
  Check(ignore, R"({"format": "date"})", {"\"x\""}, {});
}

TEST_CASE("named keys come in order, then any others") {
  CheckOpen(R"({"properties": {"b": true, "a": true}, "required": ["c", "a"]})",
            {R"({"b":1,"a":2,"c":3})", R"({"a":2,"c":3,"z":1,"y":2})"},
            {R"({"a":1,"b":2,"c":3})", R"({"a":1})", R"({"c":1,"a":1})"});
  CheckOpen(R"({"properties": {"own": true}, "allOf": [{"properties": {"all": true}}],
                "anyOf": [{"properties": {"any": true}}]})",
            {R"({"own":1,"all":2,"any":3})"}, {R"({"all":1,"own":2})", R"({"any":1,"all":2})"});
  CheckOpen(R"({"x-sglrun": {"any_order": true}, "properties": {"a": true, "b": true},
                "required": ["a"], "additionalProperties": false})",
            {R"({"b":1,"a":2})", R"({"a":2})", R"({"a":2,"b":1})"},
            {R"({"b":1})", R"({"a":1,"a":2})"});
}

TEST_CASE("escapes cannot spell a named key as an additional property") {
  CheckOpen(R"({"properties": {"a": {"type": "null"}}})",
            {R"({"a":null})", R"({"aa":1,"b":2})", R"({"\u00001":1})"},
            {R"({"\u0061":1})", R"({"a":1})", R"({"b":1,"a":1})", R"({"b":1,"\u0061":1})"});
  CheckOpen(R"({"properties": {"a/b": {"type": "null"}, "\"": {"type": "null"}}})",
            {R"({"a/c":1})", R"({"\"q":1})"}, {R"({"a\/b":1})", R"({"a/b":1})", R"({"\"":1})"});
}

TEST_CASE("optional and required keys keep their commas") {
  CheckOpen(R"({"properties": {"a": true, "b": true, "c": true}, "required": ["b"],
                "additionalProperties": false})",
            {R"({"b":1})", R"({"a":1,"b":1})", R"({"b":1,"c":1})", R"({ "a" : 1 , "b" : 1 })"},
            {R"({})", R"({"a":1})", R"({"b":1,})", R"({,"b":1})", R"({"a":1 "b":1})"});
  CheckOpen(R"({"properties": {"a": false, "b": true}, "additionalProperties": false})",
            {"{}", R"({"b":1})"}, {R"({"a":1})"});
  CheckVerdict(R"({"type": "object", "properties": {"a": false}, "required": ["a"]})",
               "unsatisfiable", "");
}

TEST_CASE("every pattern a key matches applies to its value") {
  const char* schema = R"({"properties": {"ab": {"maximum": 9}},
      "patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 3}},
      "additionalProperties": {"type": "null"}})";
  CheckOpen(schema,
            {R"({"ab":5})", R"({"ax":1})", R"({"xb":3.5})", R"({"axb":4})", R"({"z":null})"},
            {R"({"ab":2})", R"({"ab":5.5})", R"({"ab":10})", R"({"ax":1.5})", R"({"xb":2})",
             R"({"axb":2})", R"({"axb":3.5})", R"({"z":1})"});
  CheckOpen(R"({"patternProperties": {"^x": true}, "additionalProperties": false})",
            {R"({"x1":1,"xy":2})"}, {R"({"y":1})"});
}

TEST_CASE(
    "a text that matches a pattern in some engines only neither counts as a match nor as none") {
  CheckOpen(R"({"type": "string", "not": {"pattern": "\\s"}})", {"\"a\""},
            {"\" \"", "\"\u00A0\"", "\"\u2003\""});
  CheckOpen(R"({"if": {"pattern": "\\s"}, "then": false, "type": "string"})", {"\"a\""},
            {"\"\u00A0\""});
  CheckOpen(R"({"patternProperties": {"\\s": {"type": "integer"}},
                "additionalProperties": {"type": "string"}})",
            {R"({"a b":1,"c":"s"})"}, {"{\"\u00A0\":\"s\"}", "{\"a b\":\"s\"}", R"({"c":1})"});
  // A key that is named is asked for what either reading asks for.
  CheckOpen(
      "{\"properties\": {\"\u00E9\": true}, \"patternProperties\": {\"\\\\w\": {\"type\": "
      "\"integer\"}}}",
      {"{\"\u00E9\":1}"}, {"{\"\u00E9\":\"s\"}"});
  CheckOpen("{\"enum\": [\"\u00E9\", \"-\"], \"not\": {\"pattern\": \"\\\\w\"}}", {"\"-\""},
            {"\"\u00E9\""});
}

TEST_CASE("propertyNames holds for every key") {
  CheckOpen(R"({"propertyNames": {"maxLength": 2}, "properties": {"abc": true, "ab": true}})",
            {R"({"ab":1,"x":2})"}, {R"({"abc":1})", R"({"xyz":1})"});
  CheckOpen(R"({"propertyNames": {"enum": ["a", "b", 3]}})", {R"({"b":1})", "{}"}, {R"({"c":1})"});
  CheckOpen(R"({"propertyNames": false})", {"{}"}, {R"({"a":1})"});
}

TEST_CASE("properties are counted") {
  CheckOpen(R"({"minProperties": 1, "maxProperties": 2})", {R"({"a":1})", R"({"a":1,"b":2})"},
            {"{}", R"({"a":1,"b":2,"c":3})"});
  CheckOpen(R"({"properties": {"a": true, "b": true, "c": true}, "maxProperties": 2,
                "minProperties": 2})",
            {R"({"a":1,"c":2})", R"({"a":1,"x":2})", R"({"x":1,"y":2})"},
            {R"({"a":1})", R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2,"x":3})"});
}

TEST_CASE("further properties are counted up to large bounds") {
  const auto object = [](std::string named, int others) {
    for (int i = 0; i < others; ++i) {
      named += (named.empty() ? "\"x" : ",\"x") + std::to_string(i) + "\":1";
    }
    return "{" + named + "}";
  };
  const CompiledSchema map = CompileSchema(R"({"minProperties": 1, "maxProperties": 300})");
  CHECK(!map.Accepts("{}"));
  CHECK(map.Accepts(object("", 300)));
  CHECK(!map.Accepts(object("", 301)));
  const CompiledSchema named = CompileSchema(R"({"properties": {"a": true, "b": {"type": "null"}},
      "required": ["r"], "dependentRequired": {"a": ["b"]}, "minProperties": 2,
      "maxProperties": 400, "additionalProperties": {"type": "integer"}})");
  CHECK(!named.Accepts(R"({"r":1})"));
  CHECK(named.Accepts(R"({"r":1,"x":1})"));
  CHECK(named.Accepts(R"({"b":null,"r":1})"));
  CHECK(!named.Accepts(R"({"a":1,"r":1})"));
  CHECK(!named.Accepts(object(R"("b":null)", 5)));
  CHECK(named.Accepts(object(R"("r":1)", 399)));
  CHECK(!named.Accepts(object(R"("r":1)", 400)));
  CHECK(named.Accepts(object(R"("a":0,"b":null,"r":1)", 397)));
  CHECK(!named.Accepts(object(R"("a":0,"b":null,"r":1)", 398)));
}

TEST_CASE("a property that comes twice is counted once") {
  CheckOpen(R"({"minProperties": 2})",
            {R"({"a":1,"b":2})", R"({"a":1,"a":2,"b":3})", R"({"b":1,"":2})", R"({"a":1,"\n":2})"},
            {R"({"a":1,"a":2})", R"({"a":1})", R"({"a":1,"\u0061":2})", R"({"a":1,"a":2,"a":3})"});
  CheckOpen(R"({"properties": {"n": true}, "required": ["r"], "minProperties": 3,
                "maxProperties": 4, "additionalProperties": {"type": "integer"}})",
            {R"({"n":1,"r":2,"a":3})", R"({"r":1,"a":2,"b":3})", R"({"r":1,"a":2,"a":3,"b":4})"},
            {R"({"r":1,"a":2,"a":3})", R"({"n":1,"r":2})", R"({"r":1,"a":2,"b":3,"c":4,"d":5})"});
  CheckOpen(R"({"patternProperties": {"^a": {"type": "null"}, "^b": {"type": "integer"}},
                "additionalProperties": false, "minProperties": 2})",
            {R"({"a":null,"b":2})", R"({"b":1,"a1":null,"a2":null})"},
            {R"({"a":null,"a":null})", R"({"b":1,"b":2})"});
  // Of many, only some eight kinds of keys are told apart.
  CheckOpen(R"({"minProperties": 5})",
            {R"({"a":1,"b":2,"c":3,"d":4,"e":5})", R"({"a":1,"e":2,"a":3,"d":4,"c":5,"b":6})"},
            {R"({"a":1,"b":2,"c":3,"d":4})", R"({"a":1,"b":2,"c":3,"d":4,"a":5})",
             R"({"a":1,"a1":2,"a2":3,"a3":4,"a3":5})"});
  CheckOpen(R"({"required": ["r"], "minProperties": 9})",
            {R"({"r":0,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8})"},
            {R"({"r":0,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"g":8})"});
  CheckOpen(R"({"not": {"maxProperties": 1}})", {R"({"a":1,"b":2})"}, {R"({"a":1,"a":2})"});
  // Few possible keys are told apart one by one.
  CheckOpen(R"({"propertyNames": {"enum": ["a1", "a2", "a3", "b", "c", "d"]}, "minProperties": 3})",
            {R"({"a1":1,"a2":2,"a3":3})", R"({"d":1,"a1":2,"d":3,"b":4})"},
            {R"({"a1":1,"a2":2,"a1":3})", R"({"a1":1,"a2":2,"a4":3})"});
  CheckOpen(R"({"propertyNames": {"pattern": "^x[1-6]$"}, "minProperties": 6})",
            {R"({"x1":1,"x2":2,"x6":3,"x5":4,"x4":5,"x3":6})"},
            {R"({"x1":1,"x2":2,"x6":3,"x5":4,"x4":5,"x4":6})"});
  CHECK(CompileSchema(R"({"minProperties": 2})").report.notes ==
        std::vector<std::string>{"/minProperties: of the keys that the schema does not name, only "
                                 "those that begin differently count as different"});
}

TEST_CASE("properties that cannot be counted are refused") {
  CheckVerdict(R"({"minProperties": 9})", "unsupported", "/minProperties");
  CheckVerdict(R"({"properties": {"a": {"not": {"maxProperties": 8}}}})", "unsupported",
               "/properties/a/not/maxProperties");
  CheckVerdict(R"({"patternProperties": {"^x": true}, "additionalProperties": false,
                   "minProperties": 2})",
               "unsupported", "/minProperties");
  CheckOpen(R"({"required": ["a", "b", "c", "d"], "minProperties": 5})",
            {R"({"a":1,"b":2,"c":3,"d":4,"x":5})"}, {R"({"a":1,"b":2,"c":3,"d":4})"});
  GrammarOptions relax = SpecMode();
  relax.relax_unsupported = true;
  const CompiledSchema relaxed = CompileSchema(R"({"minProperties": 9})", relax);
  CHECK(relaxed.report.relaxed == std::vector<std::string>{"/minProperties"});
  CHECK(!relaxed.Accepts(R"({"a":1})"));
}

TEST_CASE("properties of which too many orders would have to be remembered are refused likewise") {
  const char* schema = R"({"x-sglrun": {"any_order": true}, "minProperties": 8, "properties":
      {"a": true, "b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true}})";
  CheckVerdict(schema, "unsupported", "/minProperties");
  GrammarOptions relax = SpecMode();
  relax.relax_unsupported = true;
  const CompiledSchema relaxed = CompileSchema(schema, relax);
  CHECK(relaxed.report.relaxed == std::vector<std::string>{"/minProperties"});
  CHECK(relaxed.report.notes.empty());
  CHECK(relaxed.Accepts(R"({"h":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"x":1})"));
  CHECK(!relaxed.Accepts(R"({"h":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1})"));
}

TEST_CASE("a repeated property does not undo a requirement that was met") {
  const char* schema = R"({"not": {"additionalProperties": {"type": "string"}}})";
  CheckOpen(schema, {R"({"a":1})", R"({"b":"x","a":1})", R"({"a":"x","a":1})", R"({"a":1,"a":2})"},
            {"{}", R"({"a":"x"})", R"({"a":1,"a":"x"})"});
  CheckOpen(
      R"({"properties": {"n": true}, "not": {"patternProperties": {"": {"type": "string"}}}})",
      {R"({"n":1,"a":"x"})", R"({"n":"x","a":1})"}, {R"({"n":"x","a":1,"a":"y"})"});
}

TEST_CASE("properties may depend on each other") {
  for (const char* keyword : {"dependentRequired", "dependencies"}) {
    const std::string schema =
        std::string(R"({"properties": {"a": true, "b": true, "c": true}, ")") + keyword +
        R"(": {"c": ["a"], "a": ["b", "x"]}})";
    CheckOpen(schema.c_str(),
              {R"({"a":1,"b":1,"x":1})", R"({"b":1})", R"({"a":1,"b":1,"c":1,"x":1})",
               R"({"a":1,"b":1,"z":1,"x":1})", "{}"},
              {R"({"c":1})", R"({"a":1,"b":1})", R"({"a":1,"x":1})", R"({"b":1,"c":1})"});
  }
  CheckOpen(R"({"properties": {"a": true}, "dependentSchemas": {"a": {"required": ["b"],
                "properties": {"b": {"type": "null"}}}}})",
            {R"({"a":1,"b":null})", R"({"b":1})", "{}"}, {R"({"a":1})", R"({"a":1,"b":2})"});
  CheckOpen(R"({"$schema": "http://json-schema.org/draft-07/schema#",
                "dependencies": {"a": {"maxProperties": 1}, "b": false}})",
            {R"({"a":1})", R"({"c":1,"d":1})"}, {R"({"a":1,"c":1})", R"({"b":1})"});
}

TEST_CASE("unevaluatedProperties sees what the chosen branch has evaluated") {
  CheckOpen(R"({"properties": {"a": true}, "unevaluatedProperties": false,
                "anyOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]},
                          {"properties": {"c": {"const": 2}}, "required": ["c"]}]})",
            {R"({"a":0,"b":1})", R"({"c":2})", R"({"b":1,"c":2})"},
            {R"({"a":0})", R"({"b":1,"c":3})", R"({"b":1,"d":1})"});
  CheckOpen(R"({"allOf": [{"patternProperties": {"^x": true}}],
                "unevaluatedProperties": {"type": "null"}})",
            {R"({"x":1,"y":null})"}, {R"({"y":1})"});
  // Two not cancel out as a test, but evaluate nothing.
  CheckOpen(R"({"not": {"not": {"properties": {"b": true}}}, "unevaluatedProperties": false})",
            {"{}"}, {R"({"b":1})"});
  CheckOpen(R"({"if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
                "then": {"properties": {"v": true}}, "unevaluatedProperties": false})",
            {R"({"k":1,"v":2})", "{}"}, {R"({"v":2})", R"({"k":2})"});
}

TEST_CASE("arrays have a prefix, a rest and a length") {
  CheckOpen(
      R"({"prefixItems": [{"type": "null"}, {"type": "boolean"}], "items": {"type": "integer"},
                "minItems": 1, "maxItems": 4})",
      {"[null]", "[null,true]", "[null,true,1,2]"},
      {"[]", "[1]", "[null,1]", "[null,true,1.5]", "[null,true,1,2,3]"});
  CheckOpen(R"({"items": false})", {"[]", "1"}, {"[1]"});
  CheckOpen(R"({"prefixItems": [true, false]})", {"[]", "[1]"}, {"[1,2]"});
  CheckOpen(R"({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}],
                "additionalItems": {"type": "boolean"}})",
            {"[null,true]"}, {"[null,1]", "[true]"});
  CheckOpen(R"({"items": {"type": "integer"}, "minItems": 3, "maxItems": 100000})",
            {"[1,2,3]", "[1,2,3,4]"}, {"[1,2]"});
}

TEST_CASE("contains is counted") {
  CheckOpen(R"({"contains": {"const": 1}})", {"[1]", "[2,1,3]"}, {"[]", "[2]"});
  CheckOpen(R"({"items": {"type": "integer"}, "contains": {"minimum": 5}, "minContains": 2,
                "maxContains": 3})",
            {"[5,6]", "[1,5,2,6,7]"}, {"[5]", "[5,6,7,8]", "[5,6.5]"});
  CheckOpen(R"({"contains": {"const": 1}, "minContains": 0, "maxContains": 1})",
            {"[]", "[1]", "[2]"}, {"[1,1]"});
  CheckOpen(R"({"contains": {"const": 1}, "minItems": 2, "maxItems": 3})", {"[1,2]", "[2,2,1]"},
            {"[1]", "[2,2]", "[1,2,3,4]"});
}

TEST_CASE("uniqueItems is exact over few values") {
  CheckOpen(R"({"items": {"enum": ["a", "b", 1]}, "uniqueItems": true, "minItems": 1})",
            {"[\"a\"]", "[\"b\",\"a\",1]"}, {"[]", "[\"a\",\"a\"]", "[1,\"b\",1]"});
  CheckOpen(R"({"uniqueItems": true, "maxItems": 1})", {"[]", "[3]"}, {"[3,4]"});
  CheckOpen(R"({"uniqueItems": false})", {"[1,1]"}, {});
  CheckOpen(R"({"type": "object", "properties": {"a": {"uniqueItems": true, "type": "null"}}})",
            {R"({"a":null})"}, {});
}

TEST_CASE("unevaluatedItems applies to items that no other keyword evaluates") {
  CheckOpen(R"({"prefixItems": [{"type": "null"}], "unevaluatedItems": {"type": "boolean"}})",
            {"[null,true]"}, {"[null,1]"});
  CheckOpen(R"({"contains": {"type": "integer"}, "unevaluatedItems": {"type": "null"}})",
            {"[1,null,2]"}, {"[1,\"a\"]", "[null]"});
  CheckOpen(R"({"allOf": [{"prefixItems": [true, true]}], "unevaluatedItems": false})", {"[1,2]"},
            {"[1,2,3]"});
}

TEST_CASE("oneOf takes exactly one") {
  CheckOpen(R"({"oneOf": [{"type": "integer"}, {"minimum": 2}]})", {"1", "2.5", "\"a\""},
            {"3", "1.5"});
  CheckOpen(R"({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})",
            {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})"});
  CheckOpen(R"({"oneOf": [{"properties": {"k": {"const": "x"}, "v": {"type": "null"}},
                           "required": ["k"]},
                          {"properties": {"k": {"const": "y"}}, "required": ["k"]}]})",
            {R"({"k":"x","v":null})", R"({"k":"y","v":1})"},
            {R"({"k":"x","v":1})", R"({"k":"z"})"});
  CheckOpen(R"({"oneOf": [{"properties": {"a": true}, "additionalProperties": false},
                          {"properties": {"b": true}, "additionalProperties": false}]})",
            {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})", R"({"c":1})"});
  GrammarOptions any = SpecMode();
  any.one_of_as_any_of = true;
  Check(any, R"({"oneOf": [{"type": "integer"}, {"minimum": 2}]})", {"3", "1"}, {"1.5"});
}

TEST_CASE("not is exact where it can be said") {
  CheckOpen(R"({"not": {"type": ["string", "integer"]}})", {"1.5", "null", "[]"}, {"1", "\"\""});
  CheckOpen(R"({"type": "string", "not": {"enum": ["a", 3]}})", {"\"b\"", "\"\""}, {"\"a\"", "3"});
  CheckOpen(R"({"type": "integer", "not": {"minimum": 3}})", {"2"}, {"3"});
  CheckOpen(R"({"type": "integer", "not": {"multipleOf": 3}})", {"2", "4"}, {"3", "0"});
  CheckOpen(R"({"type": "string", "not": {"pattern": "^a"}})", {"\"b\"", "\"\""}, {"\"ab\""});
  CheckOpen(R"({"type": "string", "not": {"maxLength": 1}})", {"\"ab\""}, {"\"a\""});
  CheckOpen(R"({"not": {"required": ["a"]}, "type": "object"})", {"{}", R"({"b":1})"},
            {R"({"a":1})"});
  CheckOpen(R"({"not": {"not": {"type": "null"}}})", {"null"}, {"1"});
  CheckOpen(R"({"not": {"anyOf": [{"type": "null"}, {"const": 1}]}})", {"2", "[]"}, {"1", "null"});
  CheckOpen(R"({"not": {"allOf": [{"minimum": 3}, {"maximum": 5}]}})", {"2", "6"}, {"4", "\"a\""});
  CheckOpen(R"({"not": {"const": {"a": [1, 2]}}})", {"{}", R"({"a":[1]})", R"({"a":[1,2],"b":1})"},
            {R"({"a":[1,2]})"});
  CheckOpen(R"({"not": {"items": {"type": "null"}}, "type": "array"})", {"[null,1]"},
            {"[]", "[null]"});
  CheckOpen(R"({"not": {"patternProperties": {"^a": {"type": "null"}}}, "type": "object"})",
            {R"({"b":1,"ax":1})"}, {"{}", R"({"ax":null})"});
  CheckVerdict(R"({"type": "array", "not": {"uniqueItems": true}})", "unsupported",
               "/not/uniqueItems");
}

TEST_CASE("not refuses what validators may take for a text of the format") {
  CheckOpen(R"({"type": "string", "not": {"format": "ipv4"}})", {"\"x\"", "\"::\""},
            {"\"1.2.3.4\"", "\"01.2.3.4\"", "\"1.2.3.4/8\""});
  CheckOpen(R"({"oneOf": [{"format": "date"}, {"format": "date-time"}, {"format": "time"}]})",
            {"\"2024-01-01\"", "\"2024-01-01T00:00:00Z\"", "\"12:00:00Z\""}, {"\"x\""});
  CheckOpen(R"({"oneOf": [{"format": "ipv4"}, {"format": "ipv6"}]})",
            {"\"1.2.3.4\"", "\"::1\"", "\"1::1.2.3.4\""}, {"\"01.2.3.4\""});
  CheckOpen(R"({"oneOf": [{"format": "ipv4"}, {"format": "hostname"}]})", {"\"a.example\""},
            {"\"1.2.3.4\"", "\"0x1.2\""});
  CheckOpen(R"({"if": {"format": "date"}, "then": {"maxLength": 10}, "else": {"maxLength": 2}})",
            {"\"2024-01-01\"", "\"x\""}, {"\"2024-1-1\"", "\"xyz\""});
  CheckVerdict(R"({"type": "string", "not": {"format": "uri-reference"}})", "unsupported",
               "/not/format");
}

// U+00A0 is white space for some engines.
TEST_CASE("a value that only some readers take for a match is neither inside nor outside") {
  CheckOpen("{\"enum\": [[\"\xC2\xA0\"], [\"x\"]], \"not\": {\"items\": {\"pattern\": \"\\\\s\"}}}",
            {"[\"x\"]"}, {"[\"\xC2\xA0\"]"});
  CheckOpen(
      "{\"enum\": [{\"\xC2\xA0\": 1}, {\"x\": 1}], "
      "\"not\": {\"propertyNames\": {\"pattern\": \"\\\\s\"}}}",
      {"{\"x\": 1}"}, {"{\"\xC2\xA0\": 1}"});
  CheckOpen(
      "{\"enum\": [{\"\xC2\xA0\": 1}, {\"x\": 1}, {\" \": 1}], "
      "\"not\": {\"patternProperties\": {\"\\\\s\": {\"type\": \"string\"}}}}",
      {"{\" \": 1}"}, {"{\"\xC2\xA0\": 1}", "{\"x\": 1}"});
  CheckOpen(
      "{\"enum\": [[\"\xC2\xA0\", \" \"], [\" \", \"x\"]], "
      "\"contains\": {\"pattern\": \"\\\\s\"}, \"maxContains\": 1}",
      {"[\" \", \"x\"]"}, {"[\"\xC2\xA0\", \" \"]"});
  const char* one_of =
      "{\"oneOf\": [{\"properties\": {\"a\": {\"pattern\": \"^\\\\s$\"}}, "
      "\"required\": [\"a\"]}, {\"properties\": {\"a\": {\"enum\": [\"\xC2\xA0\", "
      "\"x\"]}}, \"required\": [\"a\"]}]}";
  CheckOpen(one_of, {R"({"a":" "})", R"({"a":"x"})", R"({"a":1})"}, {"{\"a\":\"\xC2\xA0\"}", "{}"});
  const char* keys =
      "{\"oneOf\": [{\"patternProperties\": {\"^\\\\s$\": false}}, "
      "{\"maxProperties\": 0}]}";
  CheckOpen(keys, {R"({"a":1})"}, {"{\"\xC2\xA0\":1}", "{}", "{\" \":1}"});
}

TEST_CASE("if, then, else") {
  const char* schema = R"({"type": "object", "properties": {"k": {"enum": ["x", "y"]}},
      "required": ["k"], "if": {"properties": {"k": {"const": "x"}}},
      "then": {"required": ["a"]}, "else": {"required": ["b"]}})";
  CheckOpen(schema, {R"({"k":"x","a":1})", R"({"k":"y","b":1})"},
            {R"({"k":"x","b":1})", R"({"k":"y","a":1})"});
  CheckOpen(R"({"if": {"type": "string"}, "then": {"minLength": 2}})", {"1", "\"ab\""}, {"\"a\""});
  CheckOpen(R"({"if": {"type": "string"}})", {"1", "\"a\""}, {});
  // A key that only the condition asks for has no place in the order.
  CheckOpen(R"({"if": {"required": ["k"]}, "then": {"properties": {"x": {"const": 1}}}})",
            {R"({"x":1,"k":1})", R"({"x":2})", R"({"k":1})"}, {R"({"x":2,"k":1})"});
  CheckOpen(R"({"then": false, "else": false})", {"1"}, {});
}

TEST_CASE("white space follows the policy") {
  CheckOpen(R"({"items": true})", {"[ 1 ,\n\t2 ]", "[]", "[ ]"}, {" [1]", "[1] ", "[1,\r2]"});
  CheckOpen(R"({"x-sglrun": {"whitespace": {"max": 1}}})", {"[ 1]"}, {"[  1]"});
  const char* value = R"("const": {"a": [1, 2], "b": {}})";
  const auto with = [&](const char* policy) {
    return std::string(R"({"x-sglrun": {"whitespace": )") + policy + "}, " + value + "}";
  };
  CheckOpen(with("\"compact\"").c_str(), {R"({"a": [1, 2], "b": {}})"}, {R"({"a":[1,2],"b":{}})"});
  CheckOpen(with(R"({"separators": [",", ":"]})").c_str(), {R"({"a":[1,2],"b":{}})"},
            {R"({"a": [1, 2], "b": {}})"});
  CheckOpen(with(R"({"indent": 2})").c_str(),
            {"{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}"}, {R"({"a": [1, 2], "b": {}})"});
  CheckOpen(R"({"x-sglrun": {"whitespace": {"indent": 1}}, "items": {"items": true}})",
            {"[]", "[\n [\n  1\n ]\n]"}, {"[[1]]", "[\n [\n 1\n ]\n]"});
  CheckVerdict(R"({"x-sglrun": {"whitespce": "compact"}})", "invalid", "/x-sglrun");
}

TEST_CASE("relax drops what cannot be enforced and lists it once") {
  GrammarOptions relax = SpecMode();
  relax.relax_unsupported = true;
  const CompiledSchema schema = CompileSchema(
      R"({"properties": {"a": {"$ref": "http://x.example/"}, "b": {"$ref": "http://x.example/"},
          "c": {"pattern": "\\bx"}, "d": {"pattern": "(x)\\1", "maxLength": 3}}})",
      relax);
  CHECK(schema.verdict == "ok");
  CHECK(schema.report.relaxed ==
        std::vector<std::string>{"/properties/a/$ref", "/properties/b/$ref",
                                 "/properties/c/pattern", "/properties/d/pattern"});
  CHECK(schema.Accepts(R"({"a":[1,1],"b":2,"c":"x","d":"abc"})"));
  CHECK_FALSE(schema.Accepts(R"({"d":"abcd"})"));

  const CompiledSchema keys = CompileSchema(
      R"({"properties": {"a": {"type": "integer"}}, "patternProperties": {"(x)\\1": {"type": "null"}},
          "additionalProperties": false})",
      relax);
  CHECK_MESSAGE(keys.verdict == "ok", keys.message);
  CHECK(keys.report.relaxed == std::vector<std::string>{"/patternProperties/(x)\\1"});
  CHECK(keys.Accepts(R"({"a":1,"zz":5})"));
  CHECK_FALSE(keys.Accepts(R"({"a":null})"));
}

TEST_CASE("relax also lists the exclusions that are weaker for what was dropped in them") {
  GrammarOptions relax = SpecMode();
  relax.relax_unsupported = true;
  const auto relaxed = [&](const char* schema) {
    const CompiledSchema compiled = CompileSchema(schema, relax);
    CHECK_MESSAGE(compiled.verdict == "ok", compiled.message);
    return compiled.report.relaxed;
  };
  using List = std::vector<std::string>;
  CHECK(relaxed(R"({"type": "string", "oneOf": [{"pattern": "(x)\\1"}, {"maxLength": 3}]})") ==
        List{"/oneOf/0/pattern", "/oneOf"});
  CHECK(relaxed(R"({"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {
          "d": {"if": {"pattern": "\\bx"}, "then": {"maxLength": 3}}}})") ==
        List{"/$defs/d/if/pattern", "/$defs/d/if"});
  CHECK(relaxed(R"({"type": "string", "not": {"format": "regex"}})") ==
        List{"/not/format", "/not"});
  CHECK(relaxed(R"({"enum": ["a", ["b"]], "not": {"items": {"$ref": "http://x.example/"}}})") ==
        List{"/not/items/$ref", "/not"});
  // Told apart by what is enforced.
  CHECK(relaxed(R"({"oneOf": [{"type": "string", "pattern": "\\bx"}, {"type": "integer"}]})") ==
        List{"/oneOf/0/pattern"});
}

TEST_CASE("an unknown dialect is noted and read as 2020-12") {
  const CompiledSchema schema = CompileSchema(R"({"$schema": "http://x.example/", "const": 1})");
  CHECK(schema.verdict == "ok");
  CHECK(schema.report.notes.size() == 1);
}

}  // namespace
}  // namespace sglrun::grammar
