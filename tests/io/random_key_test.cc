// Which draws a record gets that states no seed: they follow what decides its text, nothing else.
#include "io/random_key.h"

#include "io/dialect/record.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "record_lines.h"

namespace sglrun::io {
namespace {

using Seeds = std::vector<std::uint64_t>;

Seeds SeedsOf(const Record& record) {
  Seeds seeds;
  for (const GenerateRequest& request : record.requests) seeds.push_back(request.seed);
  return seeds;
}

// Seeds of the results of lines that one run reads in this order.
Seeds SeedsOf(const std::vector<std::string>& lines, const RecordOptions& options = Options()) {
  RecordParser parser(options);
  Seeds seeds;
  for (const std::string& text : lines) {
    InputRecord line;
    line.text = text;
    const auto record = parser.Parse(line);
    if (!record.ok()) continue;
    const auto own = SeedsOf(*record);
    seeds.insert(seeds.end(), own.begin(), own.end());
  }
  return seeds;
}

std::uint64_t SeedOf(const std::string& line, const RecordOptions& options = Options()) {
  return SeedsOf(Good(line, options)).at(0);
}

std::uint64_t SeedWith(const std::string& params) {
  return SeedOf(R"({"text":"a","sampling_params":)" + params + "}");
}

TEST_CASE("asking for another output does not change the draws") {
  const std::uint64_t seed = SeedOf(R"({"text":"a"})");
  for (const char* field :
       {R"("return_logprob":true)", R"("return_logprob":true,"top_logprobs_num":3)",
        R"("return_logprob":true,"logprob_start_len":0)", R"("token_ids_logprob":[1,2])",
        R"("return_text_in_logprobs":true)", R"("return_hidden_states":true)",
        R"("return_hidden_states":"last")", R"("return_prompt_token_ids":true)", R"("rid":"R")",
        R"("stream":true)", R"("priority":3)", R"("no_such_field":1)",
        R"("sampling_params":{"n":3})", R"("sampling_params":{"no_stop_trim":true})",
        R"("sampling_params":{"skip_special_tokens":false})",
        R"("sampling_params":{"stream_interval":4})"}) {
    INFO(field);
    CHECK(SeedOf(R"({"text":"a",)" + std::string(field) + "}") == seed);
  }
  CHECK(SeedOf(R"({"text":"a","return_sampling_mask":true,"sampling_params":{"top_k":5}})") ==
        SeedWith(R"({"top_k":5})"));
}

TEST_CASE("a default that is spelled out does not change the draws") {
  const std::uint64_t seed = SeedOf(R"({"text":"a"})");
  for (const char* field :
       {R"("stream":false)", R"("return_logprob":null)", R"("return_logprob":false)",
        R"("logprob_start_len":-1)", R"("rid":null)", R"("input_ids":null)",
        R"("require_reasoning":false)", R"("require_reasoning":true)", R"("lora_path":null)",
        R"("image_data":[])", R"("sampling_params":null)", R"("sampling_params":{})"}) {
    INFO(field);
    CHECK(SeedOf(R"({"text":"a",)" + std::string(field) + "}") == seed);
  }
  for (const char* parameter : {R"("temperature":1)",
                                R"("temperature":1.0)",
                                R"("temperature":null)",
                                R"("top_p":1)",
                                R"("top_k":-1)",
                                R"("top_k":1073741824)",
                                R"("min_p":0)",
                                R"("frequency_penalty":0)",
                                R"("frequency_penalty":-0.0)",
                                R"("presence_penalty":0.0)",
                                R"("repetition_penalty":1)",
                                R"("max_new_tokens":128)",
                                R"("min_new_tokens":0)",
                                R"("n":1)",
                                R"("stop":null)",
                                R"("stop":[])",
                                R"("stop_regex":[])",
                                R"("stop_token_ids":[])",
                                R"("stop_token_ids":[5000])",
                                R"("ignore_eos":false)",
                                R"("logit_bias":{})",
                                R"("logit_bias":{"3":0})",
                                R"("regex":"")",
                                R"("json_schema":null)",
                                R"("custom_params":{})",
                                R"("custom_params":{"thinking_budget":5})",
                                R"("sampling_seed":null)",
                                R"("beam_width":1)",
                                R"("spaces_between_special_tokens":true)"}) {
    INFO(parameter);
    CHECK(SeedWith("{" + std::string(parameter) + "}") == seed);
  }
}

TEST_CASE("spellings of one meaning have the same draws") {
  const auto equal = [](const char* one, const char* other) {
    INFO(one << " and " << other);
    CHECK(SeedWith(one) == SeedWith(other));
    CHECK(SeedWith(one) != SeedWith("{}"));
  };
  equal(R"({"stop":"x"})", R"({"stop":["x"]})");
  equal(R"({"stop_token_ids":[3,1,3]})", R"({"stop_token_ids":[1,3]})");
  equal(R"({"logit_bias":{"3":1,"4":2}})", R"({"logit_bias":{"4":2.0,"3":1}})");
  equal(R"({"json_schema":{"type":"object"}})", R"({"json_schema":"{\"type\":\"object\"}"})");
  equal(R"({"top_p":0.5,"top_k":7.0})", R"({"top_k":7,"top_p":5e-1})");
  CHECK(SeedOf(R"({"text":["a"]})") == SeedOf(R"({"text":"a"})"));
  CHECK(SeedOf(R"({"text":"b","input_ids":[1,2]})") == SeedOf(R"({"input_ids":[1,2]})"));
}

TEST_CASE("every parameter that influences tokens changes the draws") {
  std::vector<std::string> spellings = {R"({})",
                                        R"({"temperature":0.5})",
                                        R"({"top_p":0.5})",
                                        R"({"top_k":5})",
                                        R"({"min_p":0.5})",
                                        R"({"frequency_penalty":0.5})",
                                        R"({"presence_penalty":0.5})",
                                        R"({"repetition_penalty":0.5})",
                                        R"({"max_new_tokens":5})",
                                        R"({"max_new_tokens":null})",
                                        R"({"min_new_tokens":5})",
                                        R"({"stop":["a","b"]})",
                                        R"({"stop":["ab"]})",
                                        R"({"stop_regex":["ab"]})",
                                        R"({"stop_token_ids":[5]})",
                                        R"({"ignore_eos":true})",
                                        R"({"logit_bias":{"5":1}})",
                                        R"({"logit_bias":{"1":5}})",
                                        R"({"regex":"ab"})",
                                        R"({"ebnf":"ab"})",
                                        R"({"json_schema":"true"})",
                                        R"({"structural_tag":"true"})"};
  std::vector<std::string> lines;
  for (const std::string& params : spellings) {
    lines.push_back(R"({"text":"a","sampling_params":)" + params + "}");
  }
  lines.push_back(R"({"text":"b"})");
  lines.push_back(R"({"input_ids":[97]})");
  lines.push_back(R"({"input_embeds":[[1.0]]})");
  lines.push_back(R"({"input_embeds":[[1.0,2.0]]})");
  lines.push_back(R"({"input_embeds":[[1.0],[2.0]]})");
  const std::string reasons = R"({"text":"a","require_reasoning":true,"sampling_params":{)";
  lines.push_back(reasons + R"("regex":"ab"}})");
  lines.push_back(reasons + R"("regex":"ab","custom_params":{"thinking_budget":5}}})");
  lines.push_back(reasons + R"("regex":"ab","custom_params":{"thinking_budget":6}}})");
  Seeds seeds;
  for (const std::string& line : lines) seeds.push_back(SeedOf(line));
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      INFO(lines[i] << " and " << lines[k]);
      CHECK(seeds[i] != seeds[k]);
    }
  }
}

TEST_CASE("draws depend on the effective value of a parameter, not on its source") {
  RecordOptions options = Options();
  options.sampling = ParseJson(R"({"temperature":0.5,"stop":"x"})").value().value;
  CHECK(SeedOf(R"({"text":"a"})", options) == SeedWith(R"({"temperature":0.5,"stop":"x"})"));
  CHECK(SeedOf(R"({"text":"a","sampling_params":{"temperature":1,"stop":[]}})", options) ==
        SeedWith("{}"));
  RecordOptions model = Options();
  model.defaults.temperature = 0.7;
  CHECK(SeedOf(R"({"text":"a"})", model) == SeedWith(R"({"temperature":0.7})"));
}

TEST_CASE("records that differ only in requested outputs count as copies") {
  const std::vector<std::string> lines = {
      R"({"text":"a"})", R"({"text":"a","rid":"x"})", R"({"text":"b"})",
      R"({"text":"a","return_logprob":true,"sampling_params":{"temperature":1}})"};
  const auto seeds = SeedsOf(lines);
  const std::string a = R"({"text":"a"})";
  const auto copies = SeedsOf({a, a, a});
  const std::uint64_t b = SeedOf(R"({"text":"b"})");
  CHECK((seeds == Seeds{copies[0], copies[1], b, copies[2]}));
  CHECK(copies[0] != copies[1]);
  CHECK(copies[0] != copies[2]);
  CHECK(copies[1] != copies[2]);
}

TEST_CASE("samples share the seed of their prompt, and equal prompts of a list draw apart") {
  const auto seeds = SeedsOf(Good(R"({"text":["b","a"],"sampling_params":{"n":2}})"));
  const auto singly = SeedsOf(Good(R"({"text":["b","a"]})"));
  CHECK((seeds == Seeds{singly[0], singly[0], singly[1], singly[1]}));
  const auto equal = SeedsOf(Good(R"({"text":["a","a"]})"));
  CHECK(equal[0] != equal[1]);
}

// Else the order of the records would decide which of them gets which sample.
TEST_CASE("a record depends on no other that has one of its prompts") {
  const std::string one = R"({"text":["a","x"]})", other = R"({"text":["b","x"]})";
  const auto both = SeedsOf({one, other});
  const auto reversed = SeedsOf({other, one});
  CHECK((reversed == Seeds{both[2], both[3], both[0], both[1]}));
  CHECK(both[1] != both[3]);
  CHECK(SeedsOf({R"({"text":"x"})", one}).back() == both[1]);
}

TEST_CASE("a record with a seed of its own, and one that is refused, use up no number") {
  const std::string a = R"({"text":"a"})";
  const auto copies = SeedsOf({a, a});
  const std::string seeded = R"({"text":"a","sampling_params":{"sampling_seed":7}})";
  const auto mixed = SeedsOf({a, seeded, a});
  CHECK((mixed == Seeds{copies[0], 7, copies[1]}));
  const auto left = SeedsOf({a, R"({"text":["a",""]})", R"({"text":"a","image_data":"x.png"})", a});
  CHECK(left == copies);
}

TEST_CASE("a key is the same in every release") {
  CHECK(PromptKey(std::string_view("a"), ChoiceHash(SamplingParams(), false)).ToHex() ==
        "5e8089c2ff77ef5d0f6a3028043c6c8d");
  CHECK(ChoiceHash(Params(R"({"temperature":0.5,"stop":["x"],"logit_bias":{"3":1.5}})"), false)
            .ToHex() == "e6164c6b95c5b673a588fd54045965e2");
}

}  // namespace
}  // namespace sglrun::io
