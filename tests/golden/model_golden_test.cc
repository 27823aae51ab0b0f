// Every family against what transformers computed for the same tiny weights
// (tests/golden/README.md): on the reference and on every instruction set of this machine, from
// safetensors and from GGUF.
#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "golden/model_cases.h"
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

void CheckModel(const std::string& name, const std::string& path, const std::string& backend) {
  const Json golden = ReadGolden("models/" + name);
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
      const Json golden = ReadGolden("models/" + name);
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
