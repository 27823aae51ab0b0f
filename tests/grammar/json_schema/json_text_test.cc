#include "grammar/base/json_text.h"

#include <doctest/doctest.h>

#include <vector>

namespace sglrun::grammar {
namespace {

Json Read(std::string_view text) {
  Result<ParsedJson, GrammarError> parsed = ParseSchemaText(text, Limits{});
  CAPTURE(std::string(text));
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

TEST_CASE("a schema keeps its numbers as written") {
  const Json schema = Read(R"({"maximum": 1.0000000000000000000000000000000000000000001e3})");
  const Json* maximum = schema.Find("maximum");
  REQUIRE(maximum->is_number_text());
  CHECK_EQ(DecimalOf(*maximum)->Canonical(), "10000000000000000000000000000000000000000001e-40");
  CHECK_EQ(DecimalOf(Read("1e99999999999")).error().verdict, Verdict::kTooLarge);
}

TEST_CASE("deep, long and broken schemas get a verdict") {
  const auto verdict = [](const std::string& text) {
    return ParseSchemaText(text, Limits{}).error().verdict;
  };
  CHECK_EQ(verdict(std::string(100'000, '[')), Verdict::kTooLarge);
  CHECK_EQ(verdict(std::string(513, '[') + std::string(513, ']')), Verdict::kTooLarge);
  CHECK(ParseSchemaText(std::string(512, '[') + std::string(512, ']'), Limits{}).ok());
  CHECK_EQ(verdict('"' + std::string(5 << 20, 'a') + '"'), Verdict::kTooLarge);
  for (const char* bad : {"", "{", "{\"a\":}", "nul", "1 2", "[1,]", "\"\\ud800\"", "\"\xFF\""}) {
    CAPTURE(bad);
    CHECK_EQ(verdict(bad), Verdict::kInvalid);
  }
  CHECK_EQ(ParseSchemaText("{\"a\": tru}", Limits{}).error().message,
           "the schema cannot be read as JSON: invalid value at byte 9");
}

TEST_CASE("equal values have one key, different ones do not") {
  const std::vector<std::vector<const char*>> classes = {
      {"1", "1.0", "10e-1", "1E0"},
      {"-1"},
      {"0", "-0", "0.00"},
      {"\"1\""},
      {"true"},
      {"null"},
      {"\"null\""},
      {"[]"},
      {"{}"},
      {"[1,2]", "[1.0, 2e0]"},
      {"[2,1]"},
      {"[[1],2]"},
      {"[[1,2]]"},
      {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1e0})"},
      {R"({"a":1,"b":2})"},
      {R"({"a":{"b":2}})"},
      {R"("\u0061")", R"("a")"},
      {R"("a\n")", R"("\u0061\u000a")"},
      {"1e400"},
      {"1e401"},
      {"1e99999999999"},
  };
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = 0; j < classes.size(); ++j) {
      for (const char* a : classes[i]) {
        for (const char* b : classes[j]) {
          CAPTURE(a);
          CAPTURE(b);
          CHECK_EQ(EqualityKey(Read(a)) == EqualityKey(Read(b)), i == j);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sglrun::grammar
