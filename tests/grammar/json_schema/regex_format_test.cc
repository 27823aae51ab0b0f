#include "grammar/json_schema/regex_format.h"

#include <doctest/doctest.h>

#include "grammar/json_schema/value_spelling.h"
#include "schema_helpers.h"

namespace sglrun::grammar {
namespace {

void Check(const char* schema, std::initializer_list<std::string> valid,
           std::initializer_list<std::string> invalid) {
  const CompiledSchema compiled = CompileSchema(schema);
  REQUIRE_MESSAGE(compiled.verdict == "ok", compiled.message);
  for (const std::string& pattern : valid) {
    CAPTURE(pattern);
    CHECK(compiled.Accepts(SpellString(pattern)));
  }
  for (const std::string& pattern : invalid) {
    CAPTURE(pattern);
    CHECK_FALSE(compiled.Accepts(SpellString(pattern)));
  }
}

// The verdicts are those of V8 11.3 (Node.js 20.20) for new RegExp(pattern, "u").
TEST_CASE("the format regex holds patterns of ECMA-262, groups nested to any depth") {
  Check(R"({"type": "string", "format": "regex"})",
        {"",
         "|",
         "^a.c$",
         "([abc])+\\s+$",
         "((((((a|b)+)?c)*)d)+?)",
         "(?:a(?=b(?!c)))",
         "(?<=a+)b",
         "(?<!a)b",
         "(?<name>x)",
         "a(b(?<n>c)+)",
         "[]",
         "[^]",
         "[^-]",
         "[-a]",
         "[a-]",
         "[a-z0-9_.]*",
         "[+-]",
         "[ -~]",
         "[a-\u00e9]",
         "[\\b\\-\\]]",
         "[\\d\\p{L}]",
         "\\cA",
         "\\x41",
         "\\u00e9",
         "\\p{Lu}\\P{Letter}\\p{gc=Nd}\\p{General_Category=Sm}",
         "\\/\\.\\\\",
         "\\b\\B",
         "a{2}",
         "a{2,}",
         "a{2,2}",
         "a{0,1000}?",
         "a{19,20}",
         "a{128,256}",
         "/\"\n"},
        {"(",          ")",         "(a",         "^(abc]",   "a)",
         "[",          "[a",        "]",          "{",        "}",
         "a{",         "a{1",       "*",          "+a",       "a**",
         "a{1}{2}",    "^*",        "$?",         "\\b+",     "(?=a)*",
         "(?<=a)+",    "(?<!a){2}", "(|*)",       "(?:*)",    "\\",
         "\\a",        "\\Z",       "\\_",        "\\-",      "\\x4",
         "\\u12",      "\\c1",      "\\p{Foo}",   "\\pL",     "[z-a]",
         "[\u00e9-a]", "[\\d-z]",   "[a-\\d]",    "[\\B]",    "a{3,2}",
         "a{20,19}",   "a{100,99}", "a{256,128}", "(?P<n>x)", "(?i)a",
         "(?#c)a",     "(?>a)",     "(?<>a)",     "(?<1>a)",  "(?<n>a)(?<n>b)",
         "\\k<n>",     "\\1"});
}

TEST_CASE(
    "the format regex together with other keywords holds patterns with two levels of groups") {
  Check(R"({"type": "string", "format": "regex", "maxLength": 9})", {"((a|b)*)c", "[^(]"},
        {"((((a))))", "(?<n>a)", "(a", "aaaaaaaaaa"});
  Check(R"({"type": "string", "format": "regex", "pattern": "^\\^"})", {"^(a)"}, {"(a)", "^(a"});
  const CompiledSchema keys = CompileSchema(R"({"propertyNames": {"format": "regex"}})");
  CHECK(keys.Accepts(R"x({"^x-": 1, "(a|(b))": 2})x"));
  CHECK_FALSE(keys.Accepts(R"({"^(x-": 1})"));
}

TEST_CASE("validators disagree about what is no regex") {
  const CompiledSchema schema = CompileSchema(R"({"type": "string", "not": {"format": "regex"}})");
  CHECK(schema.verdict == "unsupported");
  CHECK(schema.pointer == "/not/format");
}

}  // namespace
}  // namespace sglrun::grammar
