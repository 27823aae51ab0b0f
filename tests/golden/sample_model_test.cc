// The sample model against transformers and the reference tokenizer, from both of its file formats.
#include <doctest/doctest.h>

#include "base/json.h"
#include "base/mapped_file.h"
#include "golden/golden_file.h"
#include "golden/text_model.h"

namespace sglrun::golden {
namespace {

const std::string kRoot = SGLRUN_SOURCE_DIR;

TEST_CASE("the sample model's tokenizer gives the reference's ids from both file formats") {
  for (const char* path : {"/samples/model", "/samples/model.gguf"}) {
    CAPTURE(path);
    serve::ServeSettings settings;
    settings.model = kRoot + path;
    auto tokenizer = serve::LoadTokenizer(settings);
    REQUIRE(tokenizer.ok());
    CheckTokenizerStrings(**tokenizer, "sample.jsonl");
  }
}

TEST_CASE("the sample model's greedy answers equal transformers' from both file formats") {
  const std::vector<GreedyCase> cases = ReadGreedyCases(kRoot + "/tests/golden/sample/golden.json");
  for (const char* path : {"/samples/model", "/samples/model.gguf"}) {
    CAPTURE(path);
    TextModel model(kRoot + path, "f32");
    const auto results = model.Greedy(Prompts(cases), 160, /*ignore_eos=*/false);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(cases[i].text);
      auto ids = model.tokenizer().Encode(cases[i].text, {});
      CHECK(*ids == cases[i].input_ids);
      const std::size_t count = std::min(results[i].output_ids.size(), cases[i].output_ids.size());
      CHECK(count > 0);
      CHECK(std::vector(results[i].output_ids.begin(), results[i].output_ids.begin() + count) ==
            std::vector(cases[i].output_ids.begin(), cases[i].output_ids.begin() + count));
    }
  }
}

}  // namespace
}  // namespace sglrun::golden
