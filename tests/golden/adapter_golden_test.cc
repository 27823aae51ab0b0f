// Adapters against what PEFT computed with them (tests/golden/README.md), and beside each other.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "golden/model_cases.h"
#include "model/model_runner.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

const std::string kGoldens = std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/";

std::vector<std::string> Adapters() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kGoldens + "adapters")) {
    names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

std::string ModelOf(const std::string& adapter) {
  return ReadGolden("adapters/" + adapter).Find("model")->as_string();
}

// Hidden states of a prompt, with this adapter alone.
std::vector<std::vector<float>> StatesOf(Model& model, const std::vector<std::int32_t>& prompt,
                                         std::int32_t adapter) {
  ModelRunner runner(model, 1, 64);
  runner.SetAdapter(0, adapter);
  return runner.Prefill(0, prompt);
}

}  // namespace

TEST_CASE("f32 models with an adapter give PEFT's tokens and logprobs on every backend") {
  for (const std::string& backend : BackendNames()) {
    CAPTURE(backend);
    for (const std::string& name : Adapters()) {
      CAPTURE(name);
      const LoadedModel loaded =
          LoadForTest(kGoldens + "models/" + ModelOf(name), backend, tensor::DType::kF32, 2,
                      {kGoldens + "adapters/" + name});
      const Json golden = ReadGolden("adapters/" + name);
      for (const Json& one : golden.Find("cases")->as_array()) {
        CheckCase(*loaded.model, one, 1e-4, 0);
      }
    }
  }
}

TEST_CASE("a row has the same bits alone and beside rows of other adapters and of none") {
  std::vector<std::string> paths;
  for (const char* name : {"llama_head", "llama_patterns", "llama_saved", "llama_saved_dora"}) {
    paths.push_back(kGoldens + "adapters/" + name);
  }
  const std::vector<std::int32_t> order = {2, kNoAdapter, 0, 0, 3, kNoAdapter, 1, 3};
  const Json golden = ReadGolden("adapters/llama_head");
  const std::vector<std::int32_t> prompt =
      Ids(*golden.Find("cases")->as_array()[0].Find("input_ids"));
  for (const std::string& backend : BackendNames()) {
    for (const tensor::DType dtype :
         {tensor::DType::kF32, tensor::DType::kBF16, tensor::DType::kI8, tensor::DType::kI4}) {
      CAPTURE(backend);
      CAPTURE(dtype);
      const LoadedModel loaded = LoadForTest(kGoldens + "models/llama3", backend, dtype, 2, paths);
      const LoadedModel plain = LoadForTest(kGoldens + "models/llama3", backend, dtype, 2);
      ModelRunner runner(*loaded.model, static_cast<int>(order.size()), 64);
      std::vector<Feed> feeds;
      for (std::size_t row = 0; row < order.size(); ++row) {
        runner.SetAdapter(static_cast<int>(row), order[row]);
        feeds.push_back({static_cast<int>(row), prompt, AllOf(prompt.size())});
      }
      const std::vector<std::vector<float>> together = runner.Step(feeds);
      for (std::size_t row = 0; row < order.size(); ++row) {
        CAPTURE(order[row]);
        Model& model = order[row] == kNoAdapter ? *plain.model : *loaded.model;
        const std::vector<std::vector<float>> alone = StatesOf(model, prompt, order[row]);
        bool is_same = true;
        for (std::size_t t = 0; t < prompt.size(); ++t) {
          is_same &= alone[t] == together[row * prompt.size() + t];
        }
        CHECK(is_same);
      }
    }
  }
}

}  // namespace sglrun::model
