#include "golden/golden_file.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/mapped_file.h"

namespace sglrun::golden {
namespace {

std::vector<std::int32_t> Ids(const Json& list) {
  std::vector<std::int32_t> ids;
  for (const Json& id : list.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_int()));
  return ids;
}

}  // namespace

std::vector<GreedyCase> ReadGreedyCases(const std::string& path) {
  const auto text = ReadFile(path);
  REQUIRE(text.ok());
  const auto document = ParseJson(*text);
  REQUIRE(document.ok());
  std::vector<GreedyCase> cases;
  for (const Json& entry : document->value.Find("cases")->as_array()) {
    GreedyCase& added = cases.emplace_back();
    added.text = entry.Find("text")->as_string();
    added.input_ids = Ids(*entry.Find("input_ids"));
    added.output_ids = Ids(*entry.Find("output_ids"));
    if (const Json* gaps = entry.Find("gaps")) {
      for (const Json& gap : gaps->as_array()) added.gaps.push_back(gap.as_double());
    }
  }
  return cases;
}

std::vector<std::vector<std::int32_t>> Prompts(const std::vector<GreedyCase>& cases) {
  std::vector<std::vector<std::int32_t>> prompts;
  for (const GreedyCase& entry : cases) prompts.push_back(entry.input_ids);
  return prompts;
}

}  // namespace sglrun::golden
