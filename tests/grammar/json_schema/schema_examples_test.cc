// Schemas of the public test suite with their instances, in spec mode. Nothing invalid gets
// through; what is valid and refused is one of the known under-acceptances.
#include <fstream>
#include <map>

// Before doctest: both have a CHECK, and a test means its own.
#include "base/json.h"
#include "json_schema/schema_helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

struct Counts {
  int schemas = 0, ok = 0;
  int wrong_accepts = 0, wrong_rejects = 0;
  std::map<std::string, int> verdicts;
  std::vector<std::string> rejects;  // "keyword: instance"
};

Counts CountExamples(const GrammarOptions& options) {
  Counts counts;
  std::ifstream file(SGLRUN_SOURCE_DIR "/tests/data/json_schema_examples.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto record = ParseJson(line, {.keep_number_text = true});
    REQUIRE(record.ok());
    ++counts.schemas;
    const CompiledSchema schema = CompileSchema(record->value.Find("schema")->Dump(), options);
    ++counts.verdicts[schema.verdict];
    if (schema.verdict != "ok") continue;
    ++counts.ok;
    for (const Json& test : record->value.Find("tests")->as_array()) {
      const std::string instance = test.Find("data")->Dump();
      const bool valid = test.Find("valid")->as_bool();
      const bool accepted = schema.Accepts(instance);
      if (accepted && !valid) {
        ++counts.wrong_accepts;
        MESSAGE(line);
      }
      if (!accepted && valid) {
        ++counts.wrong_rejects;
        counts.rejects.push_back(record->value.Find("keyword")->as_string() + ": " + instance);
      }
    }
  }
  return counts;
}

TEST_CASE("the examples of the public suite: nothing wrong gets through") {
  const Counts counts = CountExamples(SpecMode());
  CHECK(counts.schemas == 109);
  CHECK(counts.wrong_accepts == 0);
  CHECK(counts.ok == 104);
  const std::map<std::string, int> verdicts = {{"ok", 104}, {"too_large", 1}, {"unsatisfiable", 4}};
  CHECK(counts.verdicts == verdicts);
  // The suite takes formats for annotations; the others are spellings of numbers and the order of
  // keys of constants.
  std::vector<std::string> others;
  for (const std::string& reject : counts.rejects) {
    if (reject.rfind("format: ", 0) != 0) others.push_back(reject);
  }
  const std::vector<std::string> known = {R"(const: {"baz":"bax","foo":"bar"})", "const: 0.0",
                                          "const: 1.0", "const: 9007199254740992.0"};
  CHECK(others == known);
}

TEST_CASE("the examples with formats as annotations") {
  GrammarOptions options = SpecMode();
  options.assert_format = false;
  const Counts counts = CountExamples(options);
  CHECK(counts.wrong_accepts == 0);
  CHECK(counts.ok == 104);
  CHECK(counts.wrong_rejects == 4);
}

}  // namespace
}  // namespace sglrun::grammar
