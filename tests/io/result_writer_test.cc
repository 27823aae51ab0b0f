// Rows to the byte: the order of keys and the form of numbers.
#include "io/dialect/result_writer.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "base/json.h"
#include "temp_folder.h"

namespace sglrun::io {
namespace {

constexpr float kMinusInf = -std::numeric_limits<float>::infinity();

RowOptions Plain() {
  RowOptions options;
  options.no_timing = true;
  return options;
}

GenerateResult Simple(std::string rid, std::string text, std::vector<std::int32_t> ids) {
  GenerateResult result;
  result.rid = std::move(rid);
  result.text = std::move(text);
  result.output_ids = std::move(ids);
  result.finish_reason.length = static_cast<std::int64_t>(result.output_ids.size());
  result.prompt_tokens = 3;
  return result;
}

std::string Row(const std::vector<GenerateResult>& results, RowOptions options = Plain(),
                bool is_array = false) {
  RowPlace place;
  place.line = 18;
  place.rid = "R";
  place.is_array = is_array;
  std::string out;
  REQUIRE(ResultWriter(std::move(options)).AppendRow(place, results, out).ok());
  return out;
}

TEST_CASE("a result that ended at a stop token") {
  GenerateResult result = Simple("q-17", " Paris, on the Seine.", {12366, 128009});
  result.finish_reason = {FinishReason::Kind::kStop, 128009, 0};
  result.cached_tokens = 1;
  result.e2e_latency = 0.41;
  CHECK(Row({result}, RowOptions()) ==
        R"({"text":" Paris, on the Seine.","output_ids":[12366,128009],"meta_info":{"id":"q-17",)"
        R"("finish_reason":{"type":"stop","matched":128009},"prompt_tokens":3,)"
        R"("completion_tokens":2,"cached_tokens":1,"e2e_latency":0.41}})"
        "\n");
}

TEST_CASE("without timing, stopped by a string") {
  GenerateResult result = Simple("b_1", " apples", {41776, 627});
  result.finish_reason = {FinishReason::Kind::kStop, std::string(".\n"), 0};
  CHECK(Row({result}) == R"({"text":" apples","output_ids":[41776,627],"meta_info":{"id":"b_1",)"
                         R"("finish_reason":{"type":"stop","matched":".\n"},"prompt_tokens":3,)"
                         R"("completion_tokens":2}})"
                         "\n");
}

TEST_CASE("an array record gives one line with an array, flattened one line a result") {
  const std::vector<GenerateResult> two = {Simple("s_0", " blue", {6437}),
                                           Simple("s_1", " grey", {20366})};
  const std::string first =
      R"({"text":" blue","output_ids":[6437],"meta_info":{"id":"s_0","finish_reason":)"
      R"({"type":"length","length":1},"prompt_tokens":3,"completion_tokens":1}})";
  const std::string second =
      R"({"text":" grey","output_ids":[20366],"meta_info":{"id":"s_1","finish_reason":)"
      R"({"type":"length","length":1},"prompt_tokens":3,"completion_tokens":1}})";
  CHECK(Row(two, Plain(), true) == "[" + first + "," + second + "]\n");
  CHECK(Row({two[0]}, Plain(), true) == "[" + first + "]\n");
  CHECK(Row({}, Plain(), true) == "[]\n");
  RowOptions flat = Plain();
  flat.flatten = true;
  CHECK(Row(two, flat, true) == first + "\n" + second + "\n");
  CHECK(Row({}, flat, true) == "");
}

TEST_CASE("rows in order of completion tell their line") {
  RowOptions options = Plain();
  options.with_line = true;
  CHECK(Row({Simple("a", "x", {1})}, options).rfind(R"({"line":18,"text":"x",)", 0) == 0);
}

TEST_CASE("logprobs of every shape") {
  GenerateResult result = Simple("lp", "!", {40});
  LogprobResult logprobs;
  logprobs.input_token_logprobs = {{std::nullopt, 31, std::nullopt}, {-2.25f, 7, std::nullopt}};
  logprobs.output_token_logprobs = {{-0.5f, 40, "!"}};
  const std::vector<TokenLogprob> top = {{-0.75f, 12, std::nullopt}, {kMinusInf, 7, std::nullopt}};
  logprobs.input_top_logprobs = std::vector<PositionLogprobs>{std::nullopt, top};
  logprobs.output_top_logprobs = std::vector<PositionLogprobs>{top};
  logprobs.input_token_ids_logprobs =
      std::vector<PositionLogprobs>{std::vector<TokenLogprob>{}, std::nullopt};
  logprobs.output_token_ids_logprobs = std::vector<PositionLogprobs>{};
  result.logprobs = logprobs;
  const std::string row = Row({result});
  CHECK(row.find(R"("completion_tokens":1,"input_token_logprobs":[[null,31,null],[-2.25,7,null]],)"
                 R"("output_token_logprobs":[[-0.5,40,"!"]],"output_token_logprobs_length":1,)"
                 R"("input_top_logprobs":[null,[[-0.75,12,null],[-3.4028234663852886e38,7,null]]],)"
                 R"("output_top_logprobs":[[[-0.75,12,null],[-3.4028234663852886e38,7,null]]],)"
                 R"("input_token_ids_logprobs":[null,null],"output_token_ids_logprobs":[]}})"
                 "\n") != std::string::npos);
}

HiddenStateResult States() {
  HiddenStateResult states;
  states.width = 2;
  states.prompt_rows = 2;
  states.values = {0.1f, -0.2f, 0.4f, 0.0f, 0.3f, 0.3f, -0.5f, 0.9f};
  return states;
}

TEST_CASE("hidden states: the prompt's matrix, then a row a token") {
  GenerateResult result = Simple("h", "abc", {1, 2, 3});
  result.hidden_states = States();
  CHECK(Row({result}).find(R"("hidden_states":[[[0.1,-0.2],[0.4,0]],[0.3,0.3],[-0.5,0.9]]}})"
                           "\n") != std::string::npos);
  result.hidden_states->values.resize(4);
  CHECK(Row({result}).find(R"("hidden_states":[[[0.1,-0.2],[0.4,0]]]}})") != std::string::npos);
  result.hidden_states->values.resize(2);
  result.hidden_states->last_only = true;
  CHECK(Row({result}).find(R"("hidden_states":[0.1,-0.2]}})") != std::string::npos);
}

TEST_CASE("hidden states in side files are referenced by name, shape and type") {
  const TempFolder folder;
  GenerateResult result = Simple("h", "abc", {1, 2, 3});
  result.hidden_states = States();
  RowOptions options = Plain();
  options.output_path = folder.File("out.jsonl");
  options.hidden_states = HiddenStateForm::kSafetensors;
  const std::string name = "out.jsonl.hidden/" + Hash128().ToHex();
  CHECK(Row({result}, options)
            .find("\"hidden_states\":{\"file\":\"" + name +
                  ".safetensors\",\"shape\":[4,2],\"dtype\":\"float32\"}}}") != std::string::npos);
  const std::string file = folder.Read(name + ".safetensors");
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), sizeof header);
  CHECK(header % 8 == 0);
  REQUIRE(file.size() == 8 + header + 32);
  const Json json = ParseJson(file.substr(8, header)).value().value;
  CHECK(json.Dump() == R"({"hidden_states":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}})");
  CHECK(std::memcmp(file.data() + 8 + header, States().values.data(), 32) == 0);

  options.hidden_states = HiddenStateForm::kNpy;
  CHECK(Row({result, result}, options, true).find(name + "-1.npy") != std::string::npos);
  const std::string npy = folder.Read(name + "-1.npy");
  REQUIRE(npy.size() == 128 + 32);
  CHECK(npy.substr(0, 6) == "\x93NUMPY");
  CHECK(npy.find("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2, ), }") == 10);
  CHECK(npy[127] == '\n');
}

TEST_CASE("a side file that cannot be written is an error that names it") {
  const TempFolder folder;
  GenerateResult result = Simple("h", "a", {1});
  result.hidden_states = States();
  RowOptions options = Plain();
  options.output_path = folder.Write("file", "") + "/out";
  options.hidden_states = HiddenStateForm::kNpy;
  std::string out;
  const Status status = ResultWriter(options).AppendRow({}, std::vector{result}, out);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("out.hidden") != std::string::npos);
}

TEST_CASE("prompt ids and the sampling mask stand where they are asked for") {
  GenerateResult result = Simple("m", "a", {5, 6});
  result.prompt_token_ids = {1, 2, 3};
  result.sampling_mask = SamplingMaskResult{{{5, 9}, {6}}, {-0.25f, 0.0f}};
  const std::string row = Row({result});
  CHECK(row.rfind(R"({"text":"a","output_ids":[5,6],"prompt_token_ids":[1,2,3],"meta_info":)", 0) ==
        0);
  CHECK(row.find(R"("output_token_sampling_mask":[[5,9],[6]],)"
                 R"("output_token_sampling_logprobs":[-0.25,0],)"
                 R"("output_token_sampling_mask_length":2})") != std::string::npos);
}

TEST_CASE("an error row tells message, type, code, field, line and id") {
  std::string out;
  ResultWriter(Plain()).AppendErrorRow(
      {18, "q-18", {}, false}, {"top_p must be in (0, 1], got 1.5", "sampling_params.top_p"}, out);
  CHECK(out ==
        R"({"error":{"message":"top_p must be in (0, 1], got 1.5","type":"invalid_request_error",)"
        R"("code":400,"param":"sampling_params.top_p","line":18},"meta_info":{"id":"q-18"}})"
        "\n");
  out.clear();
  ResultWriter(Plain()).AppendErrorRow({1, "x", {}, true}, AbortedRecord("NaN logits"), out);
  CHECK(out == R"({"error":{"message":"NaN logits","type":"aborted","code":500,"param":null,)"
               R"("line":1},"meta_info":{"id":"x"}})"
               "\n");
}

TEST_CASE("one failed result makes its whole record an error row") {
  std::vector<GenerateResult> results = {Simple("s_0", "a", {1}), Simple("s_1", "", {})};
  CHECK(ResultWriter::FirstError(results) == nullptr);
  results[1].error = AbortedRecord("NaN logits");
  CHECK(ResultWriter::FirstError(results)->message == "NaN logits");
  CHECK(Row(results, Plain(), true).rfind(R"({"error":{"message":"NaN logits")", 0) == 0);
}

TEST_CASE("an error row keeps the text of a result that was given up on the way") {
  std::vector<GenerateResult> results = {Simple("s_0", "a", {1}), Simple("s_1", "so far", {7, 8})};
  results[1].error = AbortedRecord("NaN logits");
  CHECK(Row({results[1]}) ==
        R"({"error":{"message":"NaN logits","type":"aborted","code":500,"param":null,"line":18},)"
        R"("text":"so far","output_ids":[7,8],)"
        R"("meta_info":{"id":"R","prompt_tokens":3,"completion_tokens":2}})"
        "\n");
  const std::string array = Row(results, Plain(), true);
  CHECK(array.find(R"("text":"so far","output_ids":[7,8],"meta_info":{"id":"R","index":1,)") !=
        std::string::npos);
}

TEST_CASE("text that is no valid UTF-8 is repaired") {
  GenerateResult result = Simple("\xff", "a\xe2\x82", {1});
  result.finish_reason = {FinishReason::Kind::kStop, std::string("\xfe"), 0};
  const std::string row = Row({result});
  CHECK(row.find("\"text\":\"a\xEF\xBF\xBD\"") != std::string::npos);
  CHECK(row.find("\"matched\":\"\xEF\xBF\xBD\"") != std::string::npos);
  CHECK(ParseJson(row).ok());
}

TEST_CASE("a partial result has line, index and no finish reason") {
  std::string out;
  ResultWriter(Plain()).AppendChunk({4, "R", {}, true}, 1, Simple("R_1", " Par", {2547}), out);
  CHECK(out == R"({"line":4,"index":1,"text":" Par","output_ids":[2547],"meta_info":{"id":"R_1",)"
               R"("finish_reason":null,"prompt_tokens":3,"completion_tokens":1}})"
               "\n");
}

}  // namespace
}  // namespace sglrun::io
