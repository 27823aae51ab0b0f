// uniqueItems over any values: the matcher remembers those that a text has.
#include <random>

#include "grammar/compile/constraint.h"
#include "json_schema/schema_helpers.h"
#include "json_validator.h"

#include <doctest/doctest.h>

#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

struct Rows {
  const char* schema;
  std::vector<const char*> members, others;
};

TEST_CASE("no two items of an array are equal values, however they are written") {
  const std::vector<Rows> rows = {
      {R"({"type": "array", "uniqueItems": true})",
       {"[]", "[1, 12, 2]", R"(["a", "b"])", "[1, true, \"1\", [1], {\"a\": 1}, null]",
        "[[1], [[1]]]", R"([{"a": 1}, {"a": 2}, {"b": 1}])", "[0, false, \"\", [], {}]"},
       {"[1,1]", "[1, 2, 1.0]", "[1.50,15e-1]", R"(["a", "\u0061"])", "[[1,2],[1 , 2]]",
        R"([{"a": 1, "b": 2}, {"b": 2, "a": 1}])", "[true,false,true]", "[null, null]", "[[],[]]"}},
      {R"({"items": {"type": "string", "pattern": "^[ab]*$"}, "uniqueItems": true, "minItems": 2,
           "maxItems": 3})",
       {R"(["a","b"])", R"(["","a","aa"])"},
       {R"(["a"])", R"(["a","a"])", R"(["a","b","ab","ba"])", R"(["a","b","a"])"}},
      {R"({"prefixItems": [{"type": "boolean"}, {"type": "boolean"}], "items": {"type": "integer"},
           "contains": {"type": "integer", "minimum": 7}, "maxContains": 1, "uniqueItems": true})",
       {"[true,false,7]", "[false,true,1,8,2]"},
       {"[true,true,7]", "[true,false,7,7]", "[true,false,7,8]", "[true,false]"}},
      {R"({"items": {"type": "array", "uniqueItems": true, "items": {"type": "integer"}},
           "uniqueItems": true})",
       {"[[1,2],[2,1],[1]]", "[[],[1]]"},
       {"[[1,1]]", "[[1,2],[1,2]]", "[[],[ ]]"}},
      {R"({"anyOf": [{"type": "array", "uniqueItems": true, "items": {"type": "integer"}},
                     {"type": "array", "maxItems": 2}]})",
       {"[1,1]", "[1,2,3]", "[1,\"a\"]"},
       {"[1,2,1]", "[1,\"a\",2]"}}};
  for (const Rows& row : rows) {
    CAPTURE(row.schema);
    const CompiledSchema schema = CompileSchema(row.schema);
    REQUIRE_MESSAGE(schema.verdict == "ok", schema.message);
    for (const char* text : row.members) CHECK_MESSAGE(schema.Accepts(text), text);
    for (const char* text : row.others) CHECK_MESSAGE(!schema.Accepts(text), text);
  }
}

TEST_CASE("an array of more items than there are values is refused") {
  std::string values;
  for (int i = 0; i < 20; ++i) values += (i > 0 ? "," : "") + std::to_string(i);
  const auto verdict = [&](int items) {
    return CompileSchema("{\"type\": \"array\", \"items\": {\"enum\": [" + values +
                         "]}, \"uniqueItems\": true, \"minItems\": " + std::to_string(items) + "}")
        .verdict;
  };
  CHECK(verdict(20) == "ok");
  CHECK(verdict(21) == "unsatisfiable");
}

// Tokens that begin, end and hold items, some of them several.
std::shared_ptr<const Vocabulary> Pieces() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  for (const char* text :
       {"\",", "\", \"", "\"]",   "[\"",  "\"a",  "a\"",    "\"a\"", "ab",  "aa",   "b\", \"a",
        "1,",  ",1",     "12",    "1, 2", "[1",   "[[",     "]]",    "],[", "true", "tr",
        "ue",  "false,", ",true", "{\"",  "\":",  "\"k\":", ":true", "},",  "},{",  "{\"k\":true}",
        ", ",  "  ",     " [",    "null", "[1,1", "[1, 2",  "2]"}) {
    texts.emplace_back(text);
  }
  return std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
}

std::vector<std::int32_t> IdsOf(const std::vector<std::uint32_t>& mask) {
  std::vector<std::int32_t> ids;
  for (std::size_t id = 0; id < mask.size() * 32; ++id) {
    if ((mask[id / 32] >> (id % 32) & 1U) != 0) ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

// Walks at random; tokens of more than one byte are preferred. The text when it became a member.
std::string Walk(const char* schema, unsigned seed) {
  std::mt19937 random(seed);
  const auto vocabulary = Pieces();
  GrammarOptions options = SpecMode();
  options.json_max_whitespace = 2;
  const auto compiled =
      CompileConstraint({ConstraintKind::kJsonSchema, schema}, options, vocabulary);
  REQUIRE(compiled.ok());
  Matcher matcher(compiled->grammar, vocabulary);
  std::vector<std::uint32_t> fast(static_cast<std::size_t>(vocabulary->words_per_mask()));
  std::vector<std::uint32_t> slow = fast;
  std::string text;
  for (int step = 0; step < 60; ++step) {
    CAPTURE(text);
    const bool forced_end = matcher.IsComplete() && !matcher.CanContinue();
    matcher.FillMask(fast);
    matcher.FillMaskSlowly(slow);
    REQUIRE(fast == slow);
    std::vector<std::int32_t> ids = IdsOf(fast);
    REQUIRE((forced_end || !ids.empty()));  // never without a way on
    if (ids.empty()) return text;
    std::vector<std::int32_t> longer;
    for (const std::int32_t id : ids) {
      if (id >= 256) longer.push_back(id);
    }
    if (!longer.empty() && random() % 4 != 0) ids = longer;
    const std::int32_t id = ids[random() % ids.size()];
    REQUIRE(matcher.AcceptToken(id));
    text += vocabulary->Text(id);
  }
  return "";
}

TEST_CASE("masks hold every token that can still lead to distinct items, and there always is one") {
  const std::vector<const char*> schemas = {
      R"({"type": "array", "uniqueItems": true})",
      R"({"type": "array", "uniqueItems": true, "items": {"type": "string"}, "maxItems": 6})",
      R"({"type": "array", "uniqueItems": true, "items": {"pattern": "^[ab]{0,3}$", "type": "string"},
          "minItems": 15})",
      R"({"type": "array", "uniqueItems": true, "items": {"minimum": 0, "maximum": 12,
          "type": "integer"}, "minItems": 13})",
      R"({"type": "array", "uniqueItems": true, "items": {"type": ["boolean", "null"],
          "enum": [true, false, null]}, "prefixItems": [{"type": ["boolean", "integer"]}]})",
      R"({"type": "array", "uniqueItems": true, "items": {"properties": {"k": {"type": "boolean"},
          "l": {"type": "boolean"}}, "required": ["k"], "additionalProperties": false,
          "type": "object"}, "minItems": 6})",
      R"({"type": "array", "uniqueItems": true, "items": {"type": "array", "maxItems": 2,
          "items": {"type": "boolean"}, "uniqueItems": true}, "minItems": 5})"};
  int members = 0;
  for (std::size_t s = 0; s < schemas.size(); ++s) {
    CAPTURE(s);
    const JsonValidator validator(schemas[s]);
    for (int round = 0; round < Rounds(12); ++round) {
      const std::string text =
          Walk(schemas[s], static_cast<unsigned>(100 * s) + static_cast<unsigned>(round));
      if (text.empty()) continue;
      ++members;
      CHECK_MESSAGE(validator.IsValid(text), text);
    }
  }
  CHECK(members > Rounds(20));
}

TEST_CASE("a copy of a matcher remembers its own items") {
  const CompiledSchema schema =
      CompileSchema(R"({"type": "array", "items": {"type": "integer"}, "uniqueItems": true})");
  Matcher one(schema.grammar, SingleBytes());
  REQUIRE(one.AcceptBytes("[1,2") == 4);
  Matcher other = one;
  CHECK(one.AcceptBytes(",3,21") == 5);
  CHECK(other.AcceptBytes(",4,3,2") == 6);
  CHECK(other.AcceptBytes("]") == 0);  // a second 2
  CHECK(one.AcceptBytes("]") == 1);
}

TEST_CASE("a long array holds its text and its values, not all that they might have been") {
  const CompiledSchema schema =
      CompileSchema(R"({"type": "array", "items": {"type": "integer"}, "uniqueItems": true})");
  Matcher matcher(schema.grammar, SingleBytes());
  std::string text = "[1000000";
  for (int i = 1; i < 2'000; ++i) text += "," + std::to_string(1'000'000 + i);
  REQUIRE(matcher.AcceptBytes(text) == text.size());
  CHECK(matcher.MemoryBytes() < 500'000);
  CHECK(matcher.AcceptBytes(",1000007]") < 9);
}

}  // namespace
}  // namespace sglrun::grammar
