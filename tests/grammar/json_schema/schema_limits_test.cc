// Limits of a schema, each hit once, and hostile schemas: a verdict, never a hang or a crash.
#include <functional>

// Before doctest: both have a CHECK, and a test means its own.
#include "json_schema/schema_helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

std::string Repeated(int count, const std::function<std::string(int)>& part, const char* between) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i > 0 ? between : "") + part(i);
  return all;
}

TEST_CASE("an object in any order holds each member once, not once for every set of keys") {
  const CompiledSchema schema = CompileSchema(
      "{\"x-sglrun\": {\"any_order\": true}, \"additionalProperties\": false, \"properties\": {" +
      Repeated(
          10,
          [](int i) {
            return "\"" + std::string(200, static_cast<char>('a' + i)) + "\": {\"maximum\": 9}";
          },
          ",") +
      "}}");
  REQUIRE(schema.verdict == "ok");
  CHECK(schema.grammar->MemoryBytes() < 2'000'000);
  const std::string first = "\"" + std::string(200, 'j') + "\":1";
  const std::string second = "\"" + std::string(200, 'a') + "\":2";
  CHECK(schema.Accepts("{" + first + "," + second + "}"));
  CHECK(schema.Accepts("{" + second + "," + first + "}"));
  CHECK(!schema.Accepts("{" + first + "," + first + "}"));
}

TEST_CASE("limits of a schema are too_large") {
  const auto verdict = [](const std::string& schema) { return CompileSchema(schema).verdict; };
  SUBCASE("text") {
    CHECK(verdict("{\"title\": \"" + std::string(5 << 20, 'x') + "\"}") == "too_large");
  }
  SUBCASE("nesting") {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "{\"not\":";
    CHECK(verdict(deep + "true" + std::string(100'000, '}')) == "too_large");
  }
  SUBCASE("chains of references") {
    const std::string chain = "{\"$defs\": {" +
                              Repeated(
                                  5000,
                                  [](int i) {
                                    return "\"d" + std::to_string(i) +
                                           "\": {\"$ref\": \"#/$defs/d" + std::to_string(i + 1) +
                                           "\"}";
                                  },
                                  ",") +
                              ",\"d5000\": {\"type\": \"null\"}}, \"$ref\": \"#/$defs/d0\"}";
    CHECK(verdict(chain) == "too_large");
  }
  SUBCASE("alternatives") {
    const std::string product = "{\"type\": \"object\", \"allOf\": [" +
                                Repeated(
                                    16,
                                    [](int i) {
                                      const std::string n = std::to_string(i);
                                      return "{\"anyOf\": [{\"required\": [\"a" + n +
                                             "\"]}, {\"required\": [\"b" + n + "\"]}]}";
                                    },
                                    ",") +
                                "]}";
    CHECK(verdict(product) == "too_large");
  }
  SUBCASE("cells of patternProperties") {
    const std::string patterns = "{\"patternProperties\": {" +
                                 Repeated(
                                     8,
                                     [](int i) {
                                       return "\"" + std::string(1, static_cast<char>('a' + i)) +
                                              "\": {\"minLength\": " + std::to_string(i) + "}";
                                     },
                                     ",") +
                                 "}}";
    CHECK(verdict(patterns) == "too_large");
  }
  SUBCASE("counted properties") {
    CHECK(verdict(R"({"properties": {"a": true}, "minProperties": 300})") == "too_large");
  }
  SUBCASE("names in dependencies") {
    const std::string dependent =
        "{\"dependentRequired\": {" +
        Repeated(
            17, [](int i) { return "\"a" + std::to_string(i) + "\": [\"b\"]"; }, ",") +
        "}}";
    CHECK(verdict(dependent) == "too_large");
  }
  SUBCASE("names in any order") {
    const std::string names =
        "{\"x-sglrun\": {\"any_order\": true}, \"properties\": {" +
        Repeated(
            13, [](int i) { return "\"a" + std::to_string(i) + "\": true"; }, ",") +
        "}}";
    CHECK(verdict(names) == "too_large");
  }
  SUBCASE("ways to a dynamic anchor") {
    const auto schemas = [](int count) {
      return "{\"anyOf\": [" +
             Repeated(
                 count,
                 [](int i) {
                   return "{\"$id\": \"s" + std::to_string(i) + "\", \"$dynamicAnchor\": \"a\"}";
                 },
                 ",") +
             "]}";
    };
    CHECK(verdict(schemas(900)) == "ok");
    CHECK(verdict(schemas(1'100)) == "too_large");
  }
  SUBCASE("steps") {
    CHECK(verdict(R"({"multipleOf": 1.0000001})") == "too_large");
  }
  SUBCASE("nodes") {
    GrammarOptions few = SpecMode();
    few.limits.nodes = 100;
    CHECK(CompileSchema(R"({"properties": {"a": {"properties": {"b": true}}}})", few).verdict ==
          "too_large");
  }
  SUBCASE("steps of a compile") {
    GrammarOptions hasty = SpecMode();
    hasty.limits.compile_steps = 100'000;
    const std::string large =
        "{\"properties\": {" +
        Repeated(
            3000, [](int i) { return "\"a" + std::to_string(i) + "\": {\"items\": true}"; }, ",") +
        "}}";
    CHECK(CompileSchema(large, hasty).verdict == "too_large");
  }
}

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string OptionalProperties(int count) {
  return "{\"type\": \"object\", \"properties\": {" +
         Repeated(
             count, [](int i) { return "\"p" + std::to_string(i) + "\": {\"type\": \"null\"}"; },
             ",") +
         "}, \"additionalProperties\": false}";
}

TEST_CASE("too many optional properties in a row are refused early and with their place") {
  const CompiledSchema wide = CompileSchema("{\"items\": " + OptionalProperties(16'000) + "}");
  CHECK(wide.verdict == "too_large");
  CHECK(wide.pointer == "/items");
  CHECK(Contains(wide.message, "too many optional properties in a row (16000 are named)"));
}

TEST_CASE("making automata deterministic is paid by the size of its sets") {
  GrammarOptions hasty = SpecMode();
  hasty.limits.compile_steps = 10'000'000;  // 2000 states, but two million pairs of keys
  const CompiledSchema wide = CompileSchema(OptionalProperties(2000), hasty);
  CHECK(wide.verdict == "too_large");
  CHECK(Contains(wide.message, "making automata deterministic"));
}

TEST_CASE("judging a value is paid by all that is asked of its parts") {
  std::string value = "1";
  for (int i = 0; i < 60; ++i) value = R"({"x": )" + value + "}";
  const std::string both = R"({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]})";
  const std::string part = R"({"properties": {"x": )" + both + "}}";
  const CompiledSchema schema = CompileSchema(
      R"({"const": )" + value + R"(, "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": )" + part +
      R"(, "b": )" + part + "}}");
  CHECK_MESSAGE(schema.verdict == "too_large", schema.message);
}

TEST_CASE("a refusal names the keyword or the place that asks for too much") {
  const auto pointer = [](const std::string& schema) { return CompileSchema(schema).pointer; };
  CHECK(pointer(R"({"type": "number", "minimum": 1e999999999})") == "/minimum");
  CHECK(pointer(R"({"items": {"type": "number", "exclusiveMaximum": -1e999999999}})") ==
        "/items/exclusiveMaximum");
  CHECK(pointer(R"({"type": "integer", "allOf": [{"multipleOf": 2}, {"minimum": 1e99999}]})") ==
        "/allOf/1/minimum");
  CHECK(pointer(R"({"items": {"type": "object", "minProperties": 300}})") == "/items");
}

TEST_CASE("a refused count of properties says what it asks for and what would help") {
  const auto message = [](const std::string& schema) { return CompileSchema(schema).message; };
  const std::string closed = message(R"({"type": "object", "patternProperties": {"^x": true},
      "additionalProperties": false, "minProperties": 9})");
  CHECK(Contains(closed, "/minProperties asks for 9 properties"));
  CHECK_FALSE(Contains(closed, "set additionalProperties to false"));
  CHECK(Contains(closed, "name those of patternProperties in \"properties\""));
  const std::string negated = message(R"({"type": "object", "not": {"maxProperties": 8}})");
  CHECK(Contains(negated, "/not/maxProperties under \"not\" or \"if\" asks for at least 9"));
  CHECK(Contains(negated, "set additionalProperties to false"));
}

TEST_CASE("large schemas of the usual kind are no trouble") {
  const std::string wide =
      "{\"properties\": {" +
      Repeated(
          400, [](int i) { return "\"key" + std::to_string(i) + "\": {\"type\": \"null\"}"; },
          ",") +
      "}, \"additionalProperties\": false}";
  const CompiledSchema schema = CompileSchema(wide);
  CHECK_MESSAGE(schema.verdict == "ok", schema.message);
  CHECK(schema.Accepts(R"({"key0":null,"key7":null,"key399":null})"));
  CHECK_FALSE(schema.Accepts(R"({"key7":null,"key0":null})"));
}

TEST_CASE("an indented recursive schema ends at some depth") {
  const CompiledSchema schema =
      CompileSchema(R"({"x-sglrun": {"whitespace": {"indent": 1}}, "type": "array",
                        "items": {"$ref": "#"}})");
  CHECK(schema.verdict == "ok");
  CHECK(schema.Accepts("[\n []\n]"));
}

}  // namespace
}  // namespace sglrun::grammar
