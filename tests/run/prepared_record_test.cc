#include "run/prepared_record.h"

#include <doctest/doctest.h>

#include "engine/result_room.h"
#include "io/dialect/record.h"

namespace sglrun::run {
namespace {

io::Record Parsed(std::string text) {
  io::RecordParser parser({.sampling = Json(Json::Object())});
  io::InputRecord line;
  line.line = 1;
  line.text = std::move(text);
  auto record = parser.Parse(std::move(line));
  REQUIRE(record.ok());
  return std::move(record).value();
}

// One token a byte.
Result<engine::PreparedPrompt, RecordError> Prepare(const GenerateRequest& request) {
  engine::PreparedPrompt prompt;
  for (const char c : request.text) prompt.token_ids.push_back(c);
  if (request.text == "bad") return RecordError{"bad prompt", "text"};
  return prompt;
}

TEST_CASE("the requests of a record are made one by one, as the line states them") {
  const std::string line =
      R"({"text":["ab","c"],"rid":["x","y"],"sampling_params":{"n":2,"max_new_tokens":3}})";
  const io::Record record = Parsed(line);
  auto prepared = PreparedRecord::Check(record.requests, Prepare);
  REQUIRE(prepared.ok());
  REQUIRE(prepared->size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const GenerateRequest stated = record.requests[i];
    const GenerateRequest made = (*prepared)[i];
    CHECK(made.rid == stated.rid);
    CHECK(made.seed == stated.seed);
    CHECK(made.sample_index == stated.sample_index);
    CHECK(made.text.empty());
    CHECK(made.input_ids == Prepare(stated)->token_ids);
  }
}

TEST_CASE("one invalid prompt fails the whole record, even if it is the last one") {
  auto prepared = PreparedRecord::Check(Parsed(R"({"text":["a","b","bad"]})").requests, Prepare);
  REQUIRE_FALSE(prepared.ok());
  CHECK(prepared.error().message == "bad prompt");
}

TEST_CASE("a list of many prompts is held in a few bytes for each") {
  std::string line = "{\"text\":[\"a\"";
  for (int i = 1; i < 10'000; ++i) line += ",\"a\"";
  line += R"(],"sampling_params":{"n":50}})";
  auto prepared = PreparedRecord::Check(Parsed(line).requests, Prepare);
  REQUIRE(prepared.ok());
  CHECK(prepared->size() == 500'000);
  CHECK(prepared->bytes() < 500'000);
}

TEST_CASE("a record whose results exceed the limit is refused, even if memory is free") {
  const auto wide = [](const GenerateRequest&) -> Result<engine::PreparedPrompt, RecordError> {
    return engine::PreparedPrompt{.result_bytes = engine::kMostResultBytes / 4};
  };
  CHECK(PreparedRecord::Check(Parsed(R"({"text":["a","b","c"]})").requests, wide).ok());
  const auto refused =
      PreparedRecord::Check(Parsed(R"({"text":["a","b","c","d"]})").requests, wide);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.starts_with("the results of this record take more than 512"));
}

}  // namespace
}  // namespace sglrun::run
