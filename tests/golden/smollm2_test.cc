// SmolLM2-135M-Instruct (scripts/get-smollm2) against transformers on the dequantised weights.
// Without the file the program says so and exits with 77, which ctest shows as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "base/json.h"
#include "base/mapped_file.h"
#include "golden/golden_file.h"
#include "golden/text_model.h"

namespace sglrun::golden {
namespace {

const std::string kRoot = SGLRUN_SOURCE_DIR;
const std::string kModel = kRoot + "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
const std::string kGolden = kRoot + "/tests/golden/smollm2/golden.json";

// A greedy token may differ only where the reference's two best logits are closer than this; after
// such a place the texts part and are not compared. The logits have a size of about 20: in float32
// the sums of 30 layers agree to a few 1e-4, in bf16 (8 bits of precision) to a few 1e-1.
constexpr double kFloat32Bound = 2e-3;
constexpr double kBFloat16Bound = 0.5;

void CheckGreedyTokens(const std::string& dtype, double bound) {
  const std::vector<GreedyCase> cases = ReadGreedyCases(kGolden);
  REQUIRE(cases.size() >= 8);
  TextModel model(kModel, dtype);
  const auto results = model.Greedy(Prompts(cases), 48, /*ignore_eos=*/true);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].text);
    REQUIRE(results[i].output_ids.size() == 48);
    for (std::size_t k = 0; k < 48; ++k) {
      CAPTURE(k);
      if (results[i].output_ids[k] == cases[i].output_ids[k]) continue;
      CHECK(cases[i].gaps[k] < bound);
      break;
    }
  }
}

TEST_CASE("SmolLM2: the tokenizer inside the GGUF file gives the reference's ids") {
  serve::ServeSettings settings;
  settings.model = kModel;
  auto tokenizer = serve::LoadTokenizer(settings);
  REQUIRE(tokenizer.ok());
  CheckTokenizerStrings(**tokenizer, "smollm2.jsonl");
  for (const GreedyCase& entry : ReadGreedyCases(kGolden)) {
    CHECK(*(*tokenizer)->Encode(entry.text, {}) == entry.input_ids);
  }
}

TEST_CASE("SmolLM2: 48 greedy tokens in f32 equal transformers'") {
  CheckGreedyTokens("f32", kFloat32Bound);
}

TEST_CASE("SmolLM2: 48 greedy tokens in bf16 differ only at near ties") {
  CheckGreedyTokens("bf16", kBFloat16Bound);
}

TEST_CASE("SmolLM2: the log-likelihood of a text equals transformers'") {
  const auto document = ParseJson(*ReadFile(kGolden));
  const Json& scoring = *document->value.Find("scoring");
  TextModel model(kModel, "f32");
  const auto ids = model.tokenizer().Encode(scoring.Find("text")->as_string(), {});
  REQUIRE(static_cast<std::int64_t>(ids->size()) ==
          static_cast<std::int64_t>(scoring.Find("input_ids")->as_array().size()));
  const std::vector<float> logprobs = model.PromptLogprobs(*ids);
  const double sum = std::accumulate(logprobs.begin(), logprobs.end(), 0.0);
  CHECK(std::fabs(sum - scoring.Find("log_likelihood")->as_double()) < 0.05);
}

}  // namespace
}  // namespace sglrun::golden

int main(int argc, char** argv) {
  if (!std::filesystem::exists(sglrun::golden::kModel)) {
    std::printf("skipped: %s is not there; scripts/get-smollm2 obtains it\n",
                sglrun::golden::kModel.c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
