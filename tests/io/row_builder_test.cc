#include "io/dialect/row_builder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "temp_folder.h"

namespace sglrun::io {
namespace {

std::vector<GenerateResult> Results() {
  std::vector<GenerateResult> results;
  for (int i = 0; i < 4; ++i) {
    GenerateResult result;
    result.rid = "r" + std::to_string(i);
    result.text =
        i == 2 ? "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>" : "abc";
    result.output_ids = {i, 7};
    result.prompt_tokens = 3 + i / 2;
    results.push_back(std::move(result));
  }
  return results;
}

std::string Whole(const ResultWriter& writer, const RowPlace& place) {
  std::string row;
  REQUIRE(writer.AppendRow(place, Results(), row).ok());
  return row;
}

std::string Built(const ResultWriter& writer, const RowPlace& place,
                  const std::vector<std::size_t>& order) {
  RowBuilder builder(writer);
  std::vector<GenerateResult> results = Results();
  for (const std::size_t i : order) REQUIRE(builder.Add(place, i, std::move(results[i])).ok());
  return builder.Finish(place);
}

RowPlace PlaceOf(std::shared_ptr<const openai::Reply> reply) {
  return {.line = 3, .rid = "R", .is_array = true, .reply = std::move(reply)};
}

TEST_CASE("a row is the same in whatever order its results come") {
  const auto chat = std::make_shared<openai::Reply>();
  chat->calls = openai::CallSyntax::kTemplate;
  chat->form = ToolCallForm::kTagged;
  chat->tools = {"f"};
  chat->samples = 4;
  const auto completions = std::make_shared<openai::Reply>();
  completions->endpoint = openai::Endpoint::kCompletions;
  completions->samples = 2;
  for (const RowPlace& place : {PlaceOf(nullptr), PlaceOf(chat), PlaceOf(completions)}) {
    for (const bool flatten : {false, true}) {
      const ResultWriter writer({.no_timing = true, .flatten = flatten});
      const std::string whole = Whole(writer, place);
      std::vector<std::size_t> order = {0, 1, 2, 3};
      do {
        CHECK(Built(writer, place, order) == whole);
      } while (std::ranges::next_permutation(order).found);
    }
  }
}

TEST_CASE("a record without results has an empty array, and no line with --flatten") {
  CHECK(Built(ResultWriter({}), PlaceOf(nullptr), {}) == "[]\n");
  CHECK(Built(ResultWriter({.flatten = true}), PlaceOf(nullptr), {}) == "");
}

TEST_CASE("side files of a record that failed later are removed") {
  const TempFolder folder;
  const ResultWriter writer(
      {.hidden_states = HiddenStateForm::kNpy, .output_path = folder.File("out")});
  GenerateResult result;
  result.hidden_states.emplace();
  result.hidden_states->width = 2;
  result.hidden_states->values = {1, 2};
  RowBuilder builder(writer);
  const RowPlace place = PlaceOf(nullptr);
  REQUIRE(builder.Add(place, 1, result).ok());
  CHECK(writer.HasSideFiles(place, std::vector<std::size_t>{1}));
  writer.RemoveSideFiles(place, 2);
  CHECK_FALSE(writer.HasSideFiles(place, std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace sglrun::io
