// Every keyword of the standard's vocabularies has one of three verdicts at each location:
// enforced, vacuous, unsupported. The table must hold all of them.
#include <map>

// Before doctest: both have a CHECK, and a test means its own.
#include "grammar/json_schema/keywords.h"
#include "json_schema/schema_helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

struct Row {
  const char* keyword;
  const char* value;      // well-formed
  const char* malformed;  // of the wrong type; "": nothing is
  const char* rejected;   // a text that the keyword alone forbids; "": there is none
  const char* siblings = "";
};

const Row kRows[] = {
    {"$anchor", R"("a")", "1", ""},
    {"$comment", R"("a")", "1", ""},
    {"$defs", R"({"a": false})", "[]", ""},
    {"$dynamicAnchor", R"("a")", "1", ""},
    {"$dynamicRef", R"("#a")", "1", "1", R"("$defs": {"x": {"$dynamicAnchor": "a", "const": 2}})"},
    {"$id", R"("http://a.example/")", "1", ""},
    {"$recursiveAnchor", "true", "1", ""},
    {"$recursiveRef", R"("#/$defs/x")", "1", "1", R"("$defs": {"x": {"const": 2}})"},
    {"$ref", R"("#/$defs/x")", "1", "1", R"("$defs": {"x": {"const": 2}})"},
    {"$schema", R"("https://json-schema.org/draft/2020-12/schema")", "1", ""},
    {"$vocabulary", "{}", "[]", ""},
    {"additionalItems", "false", "1", "[1,2]",
     R"("$schema": "http://json-schema.org/draft-07/schema#", "items": [true])"},
    {"additionalProperties", "false", "1", R"({"a":1})"},
    {"allOf", R"([{"type": "null"}])", "{}", "1"},
    {"anyOf", R"([{"type": "null"}])", "[]", "1"},
    {"const", "2", "", "1"},
    {"contains", R"({"type": "null"})", "1", "[1]"},
    {"contentEncoding", R"("base64")", "1", ""},
    {"contentMediaType", R"("text/plain")", "1", ""},
    {"contentSchema", "false", "1", ""},
    {"default", "1", "", ""},
    {"definitions", R"({"a": false})", "1", ""},
    {"dependencies", R"({"a": ["b"], "c": false})", "[]", R"({"c":1})"},
    {"dependentRequired", R"({"a": ["b"]})", R"({"a": "b"})", R"({"a":1})"},
    {"dependentSchemas", R"({"a": false})", R"({"a": []})", R"({"a":1})"},
    {"deprecated", "true", "1", ""},
    {"description", R"("a")", "", ""},
    {"else", "false", "1", "1", R"("if": {"type": "null"})"},
    {"enum", "[2]", "{}", "1"},
    {"examples", "[1]", "", ""},
    {"exclusiveMaximum", "1", "[]", "1"},
    {"exclusiveMinimum", "1", R"("1")", "1"},
    {"format", R"("date")", "1", R"("x")"},
    {"if", R"({"type": "number"})", "1", "1", R"("then": false)"},
    {"items", "false", "1", "[1]"},
    {"maxContains", "0", "-1", "[1]", R"("contains": true, "minContains": 0)"},
    {"maxItems", "1", "1.5", "[1,2]"},
    {"maxLength", "1", "-1", R"("ab")"},
    {"maxProperties", "0", "[]", R"({"a":1})"},
    {"maximum", "1", R"("1")", "2"},
    {"minContains", "2", "-1", "[1]", R"("contains": true)"},
    {"minItems", "1", "true", "[]"},
    {"minLength", "1", "null", R"("")"},
    {"minProperties", "1", "-1", "{}"},
    {"minimum", "1", "true", "0"},
    {"multipleOf", "2", "0", "1"},
    {"not", R"({"type": "number"})", "1", "1"},
    {"oneOf", R"([{"type": "null"}])", "{}", "1"},
    {"pattern", R"("a")", "1", R"("b")"},
    {"patternProperties", R"({"a": false})", "[]", R"({"a":1})"},
    {"prefixItems", "[false]", "[]", "[1]"},
    {"properties", R"({"a": false})", "[]", R"({"a":1})"},
    {"propertyNames", "false", "[]", R"({"a":1})"},
    {"readOnly", "true", "1", ""},
    {"required", R"(["a"])", R"("a")", "{}"},
    {"then", "false", "1", "1", R"("if": {"type": "number"})"},
    {"title", R"("a")", "", ""},
    {"type", R"("null")", R"("nul")", "1"},
    {"unevaluatedItems", "false", "1", "[1]"},
    {"unevaluatedProperties", "false", "1", R"({"a":1})"},
    {"uniqueItems", "true", "1", "[null,null]", R"("items": {"type": "null"})"},
    {"writeOnly", "true", "1", ""},
};

std::string Schema(const Row& row, const std::string& value, const std::string& also = "") {
  std::string text = "{";
  for (const std::string& part : {std::string(row.siblings), also}) {
    if (!part.empty()) text += part + ", ";
  }
  return text + "\"" + row.keyword + "\": " + value + "}";
}

TEST_CASE("the table holds every keyword once") {
  std::map<std::string_view, int> rows;
  for (const Row& row : kRows) ++rows[row.keyword];
  for (const Keyword& keyword : AllKeywords()) {
    CAPTURE(keyword.name);
    CHECK(rows[keyword.name] == 1);
  }
  CHECK(rows.size() == AllKeywords().size());
}

TEST_CASE("a keyword is enforced, or an annotation that forbids nothing") {
  for (const Row& row : kRows) {
    CAPTURE(row.keyword);
    const CompiledSchema schema = CompileSchema(Schema(row, row.value));
    CHECK_MESSAGE(schema.verdict == "ok", schema.message);
    const std::string rejected = row.rejected;
    if (rejected.empty()) {
      for (const char* text : {"1", "null", "\"x\"", "[1,1]", "{\"a\":1}"}) {
        CHECK_MESSAGE(schema.Accepts(text), text);
      }
      continue;
    }
    CHECK_FALSE(schema.Accepts(rejected));
    const std::string siblings = row.siblings;
    CHECK(CompileSchema("{" + siblings + "}").Accepts(rejected));
  }
}

TEST_CASE("a keyword with a value of the wrong type is invalid, wherever it stands") {
  for (const Row& row : kRows) {
    if (row.malformed[0] == '\0') continue;
    CAPTURE(row.keyword);
    const std::string inner = Schema(row, row.malformed);
    const std::string keyword = row.keyword;
    const auto check = [&](const std::string& schema, const std::string& pointer) {
      const CompiledSchema compiled = CompileSchema(schema);
      CHECK(compiled.verdict == "invalid");
      CHECK(compiled.pointer == pointer);
    };
    check(inner, "/" + keyword);
    check(R"({"type": "null", "properties": {"p/q": )" + inner + "}}",
          "/properties/p~1q/" + keyword);
    check(R"({"$defs": {"unused": )" + inner + "}}", "/$defs/unused/" + keyword);
  }
}

TEST_CASE("a malformed pattern is invalid, used or not") {
  const CompiledSchema vacuous = CompileSchema(R"({"type": "integer", "pattern": "("})");
  CHECK(vacuous.verdict == "invalid");
  CHECK(vacuous.pointer == "/pattern");
  const CompiledSchema key =
      CompileSchema(R"({"$defs": {"a": {"patternProperties": {"a/[": true}}}})");
  CHECK(key.verdict == "invalid");
  CHECK(key.pointer == "/$defs/a/patternProperties/a~1[");
}

TEST_CASE("a keyword for other types than the location's is vacuous") {
  for (const Row& row : kRows) {
    const std::string rejected = row.rejected;
    const char kind = rejected.empty() ? '-' : rejected.front();
    if (kind != '[' && kind != '{' && kind != '"') continue;
    CAPTURE(row.keyword);
    const CompiledSchema schema = CompileSchema(Schema(row, row.value, R"("type": "integer")"));
    CHECK_MESSAGE(schema.verdict == "ok", schema.message);
    CHECK(schema.Accepts("7"));
    CHECK(schema.report.relaxed.empty());
  }
}

TEST_CASE("what cannot be enforced is refused with its pointer, and only where it matters") {
  const std::pair<const char*, const char*> rows[] = {
      {R"("not": {"type": "array", "uniqueItems": true})", "not/uniqueItems"},
      {R"("$ref": "http://else.example/")", "$ref"},
      {R"("pattern": "(a)\\1")", "pattern"},
  };
  for (const auto& row : rows) {
    const auto [keyword, name] = row;
    CAPTURE(row.first);
    const CompiledSchema schema =
        CompileSchema(std::string(R"({"properties": {"p": {)") + keyword + "}}}");
    CHECK(schema.verdict == "unsupported");
    CHECK(schema.pointer == std::string("/properties/p/") + name);
    const CompiledSchema dead =
        CompileSchema(std::string(R"({"anyOf": [{"const": 1}, {"type": "array", "maxItems": 0,
            "minItems": 1, )") +
                      keyword + "}]}");
    CHECK_MESSAGE(dead.verdict == "ok", dead.message);
  }
}

TEST_CASE("content is asserted in draft 7, where readers may, and nowhere else") {
  const auto compile = [](const std::string& draft, const std::string& keywords,
                          GrammarOptions options = SpecMode()) {
    return CompileSchema(R"({"$schema": "http)" + draft + "\", " + keywords + "}", options);
  };
  const std::string draft7 = "://json-schema.org/draft-07/schema#";
  const std::string draft2019 = "s://json-schema.org/draft/2019-09/schema";
  const std::string base64 = R"("contentEncoding": "base64")";
  const CompiledSchema encoded = compile(draft7, base64);
  for (const char* text : {R"("")", R"("eyJmb28iOiAiYmFyIn0K")", R"("YQ==")", R"("+/8=")", "100"}) {
    CHECK_MESSAGE(encoded.Accepts(text), text);
  }
  for (const char* text : {R"("eyJmb28iOi%iYmFyIn0K")", R"("YQ=")", R"("YQ")", R"("YQ==YQ==")",
                           R"("a")", R"("YR==")", R"("YWF=")", R"("YQ==\n")"}) {
    CHECK_FALSE_MESSAGE(encoded.Accepts(text), text);
  }
  CHECK(compile(draft2019, base64).Accepts(R"("%")"));
  CHECK(compile(draft7, R"("contentEncoding": "8bit")").Accepts(R"("%")"));
  const CompiledSchema negated = compile(draft7, R"("not": {)" + base64 + "}");
  CHECK(negated.verdict == "unsupported");
  CHECK(negated.pointer == "/not/contentEncoding");

  const std::string json = R"("contentMediaType": "application/json")";
  const CompiledSchema typed = compile(draft7, json);
  CHECK(typed.verdict == "unsupported");
  CHECK(typed.pointer == "/contentMediaType");
  CHECK(compile(draft7, json + R"(, "type": "integer")").Accepts("1"));
  CHECK(compile(draft7, R"("contentMediaType": "text/html")").Accepts(R"("<")"));
  CHECK(compile(draft2019, json).Accepts(R"("{:}")"));
  GrammarOptions annotations = SpecMode();
  annotations.assert_format = false;
  CHECK(compile(draft7, base64 + ", " + json, annotations).Accepts(R"("%")"));
}

}  // namespace
}  // namespace sglrun::grammar
