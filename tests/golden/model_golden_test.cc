// Every family against what transformers computed for the same tiny weights
// (tests/golden/README.md): on the reference and on every instruction set of this machine, from
// safetensors and from GGUF.
#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mapped_file.h"
#include "model/model_runner.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

// Goldens in float32 have rounding errors of their own.
double ToleranceOf(const Json& golden) {
  return golden.Find("settings")->as_string().starts_with("float64") ? 1e-4 : 1e-3;
}

std::string Folder(const std::string& name) {
  return std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" + name;
}

std::vector<std::int32_t> Ids(const Json& list) {
  std::vector<std::int32_t> ids;
  for (const Json& id : list.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_int()));
  return ids;
}

Json ReadGolden(const std::string& name) {
  const auto text = ReadFile(Folder(name) + "/golden.json");
  REQUIRE(text.ok());
  auto parsed = ParseJson(*text);
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

// One logits row after every token of prompt and answer but the last: the prompt in one step, the
// answer token by token, each token chosen greedily.
struct Answer {
  std::vector<std::vector<float>> hidden;         // of the prompt
  std::vector<std::vector<float>> prompt_logits;  // one row a prompt token
  std::vector<std::int32_t> output_ids;
  std::vector<double> output_logprobs;
};

Answer Generate(Model& model, const std::vector<std::int32_t>& prompt, std::size_t count,
                tensor::DType kv_dtype) {
  ModelRunner runner(model, 1, static_cast<int>(prompt.size() + count), kv_dtype);
  Answer answer;
  answer.hidden = runner.Prefill(0, prompt);
  for (const auto& row : answer.hidden) answer.prompt_logits.push_back(runner.Logits(row));
  std::vector<float> logits = answer.prompt_logits.back();
  while (true) {
    const std::int32_t token = ArgMax(logits);
    answer.output_ids.push_back(token);
    answer.output_logprobs.push_back(LogProbability(logits, token));
    if (answer.output_ids.size() == count) return answer;
    logits = runner.Logits(runner.Step({{0, {token}, {0}}})[0]);
  }
}

void CheckHidden(const Json& expected, const Answer& answer, double tolerance) {
  double worst = 0;
  REQUIRE(expected.as_array().size() == answer.hidden.size());
  for (std::size_t i = 0; i < answer.hidden.size(); ++i) {
    const Json::Array& row = expected.as_array()[i].as_array();
    REQUIRE(row.size() == answer.hidden[i].size());
    for (std::size_t k = 0; k < row.size(); ++k) {
      worst = std::max(worst, std::fabs(row[k].as_double() - answer.hidden[i][k]));
    }
  }
  CHECK(worst < tolerance);
}

void CheckLogprobs(const Json& golden, const Answer& answer, double tolerance) {
  const std::vector<std::int32_t> prompt = Ids(*golden.Find("input_ids"));
  const Json::Array& input = golden.Find("input_logprobs")->as_array();
  double worst = 0;
  for (std::size_t i = 1; i < prompt.size(); ++i) {
    worst = std::max(worst, std::fabs(input[i].as_double() -
                                      LogProbability(answer.prompt_logits[i - 1], prompt[i])));
  }
  const Json::Array& output = golden.Find("output_logprobs")->as_array();
  for (std::size_t i = 0; i < output.size(); ++i) {
    worst = std::max(worst, std::fabs(output[i].as_double() - answer.output_logprobs[i]));
  }
  CHECK(worst < tolerance);
}

std::vector<std::int32_t> ArgMaxes(const Answer& answer) {
  std::vector<std::int32_t> ids;
  for (const auto& logits : answer.prompt_logits) ids.push_back(ArgMax(logits));
  return ids;
}

void CheckModel(const std::string& name, const std::string& path, const std::string& backend) {
  const Json golden = ReadGolden(name);
  const LoadedModel loaded = LoadForTest(path, backend);
  for (const Json& one : golden.Find("cases")->as_array()) {
    const std::vector<std::int32_t> expected = Ids(*one.Find("output_ids"));
    const Answer answer =
        Generate(*loaded.model, Ids(*one.Find("input_ids")), expected.size(), tensor::DType::kF32);
    CHECK(ArgMaxes(answer) == Ids(*one.Find("argmax")));
    CHECK(answer.output_ids == expected);
    CheckLogprobs(one, answer, ToleranceOf(golden));
    CheckHidden(*one.Find("hidden_states"), answer, ToleranceOf(golden));
  }
}

}  // namespace

TEST_CASE("f32 models give transformers' tokens, logprobs and hidden states on every backend") {
  for (const std::string& backend : BackendNames()) {
    CAPTURE(backend);
    for (const std::string& name : GoldenModels()) {
      CAPTURE(name);
      CheckModel(name, Folder(name), backend);
    }
  }
}

TEST_CASE("the same weights as GGUF give the same tokens") {
  for (const std::string& name : GoldenGgufModels()) {
    CAPTURE(name);
    CheckModel(name, Folder(name) + "/model.gguf", "ref");
  }
}

TEST_CASE("bf16 weights and cache keep most of the choices and never give NaN") {
  for (const std::string& backend : BackendNames()) {
    CAPTURE(backend);
    std::size_t equal = 0, total = 0;
    for (const std::string& name : GoldenModels()) {
      CAPTURE(name);
      const Json golden = ReadGolden(name);
      const LoadedModel loaded = LoadForTest(Folder(name), backend, tensor::DType::kBF16);
      for (const Json& one : golden.Find("cases")->as_array()) {
        const std::vector<std::int32_t> argmax = Ids(*one.Find("argmax"));
        const Answer answer =
            Generate(*loaded.model, Ids(*one.Find("input_ids")), 1, tensor::DType::kBF16);
        for (std::size_t i = 0; i < argmax.size(); ++i) {
          for (const float z : answer.prompt_logits[i]) REQUIRE(std::isfinite(z));
          equal += ArgMax(answer.prompt_logits[i]) == argmax[i] ? 1 : 0;
          ++total;
        }
      }
    }
    MESSAGE(backend << ": " << equal << " of " << total << " choices equal");
    CHECK(equal * 10 >= total * 9);
  }
}

}  // namespace sglrun::model
