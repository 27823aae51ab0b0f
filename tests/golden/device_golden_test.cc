// The forward pass of every family on the simulated device against transformers: the prompt of each
// golden in one step.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mapped_file.h"
#include "kernels/cuda/backend.h"
#include "model/model_runner.h"
#include "tensor/buffer.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

using Ids = std::vector<std::int32_t>;

// The hidden states of all tokens of a prompt, [tokens, H].
std::vector<float> HiddenOnDevice(const std::string& path, const Ids& prompt,
                                  const kernels::Backend& backend) {
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const auto files = ModelFiles::Open(path);
  REQUIRE(files.ok());
  auto model = Model::Load(*files, {.dtype = tensor::DType::kF32, .backend = &backend}, context);
  REQUIRE(model.ok());
  const auto tokens = static_cast<std::int64_t>(prompt.size());
  const std::int64_t pages = (tokens + kernels::kPageSize - 1) / kernels::kPageSize;
  auto cache = KvCache::Create(files->spec(), tensor::DType::kF32, pages, backend);
  REQUIRE(cache.ok());
  Ids positions(prompt.size()), table(static_cast<std::size_t>(pages));
  std::iota(positions.begin(), positions.end(), 0);
  std::iota(table.begin(), table.end(), 0);
  const Ids start = {0, static_cast<std::int32_t>(tokens)}, length = {start[1]};
  std::vector<float> hidden(static_cast<std::size_t>(tokens * files->spec().hidden_size));
  const tensor::Buffer there(*backend.allocator, hidden.size() * sizeof(float));
  (*model)->Forward(
      {.token_ids = prompt,
       .positions = positions,
       .positions_per_token = 1,
       .query_start = start,
       .kv_len = length,
       .block_tables = table.data(),
       .block_table_stride = pages,
       .slots = positions,
       .output_tokens = positions,
       .embed_row = {},
       .input_embeds = {},
       .from_drawn = {}},
      *cache,
      tensor::MakeView(there.data(), tensor::DType::kF32, {tokens, files->spec().hidden_size}));
  backend.table.download(hidden.data(), there.data(), hidden.size() * sizeof(float), context);
  return hidden;
}

// Whether the model has experts, which devices do not run; loading it must say so.
bool IsRefused(const std::string& path, const kernels::Backend& backend) {
  const auto files = ModelFiles::Open(path);
  REQUIRE(files.ok());
  if (!files->spec().layers.back().moe) return false;
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const auto model = Model::Load(*files, {.backend = &backend}, context);
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().message ==
        "model \"" + path + "\": mixtures of experts run on the CPU only: --device cpu");
  return true;
}

TEST_CASE("on the simulated device prompts get transformers' hidden states in every family") {
  const auto device = kernels::OpenSimBackend();
  if (!device.ok()) return;  // a build without the simulated device
  for (const std::string& name : GoldenModels()) {
    CAPTURE(name);
    const std::string folder = std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" + name;
    const auto text = ReadFile(folder + "/golden.json");
    REQUIRE(text.ok());
    const auto golden = ParseJson(*text);
    REQUIRE(golden.ok());
    const Json& one = golden->value.Find("cases")->as_array()[0];
    Ids prompt;
    for (const Json& id : one.Find("input_ids")->as_array()) {
      prompt.push_back(static_cast<std::int32_t>(id.as_int()));
    }
    if (IsRefused(folder, (*device)->backend())) continue;
    const std::vector<float> hidden = HiddenOnDevice(folder, prompt, (*device)->backend());
    double worst = 0;
    std::size_t at = 0;
    for (const Json& row : one.Find("hidden_states")->as_array()) {
      for (const Json& value : row.as_array()) {
        worst = std::max(worst, std::fabs(value.as_double() - hidden.at(at++)));
      }
    }
    CHECK(at == hidden.size());
    CHECK(worst < 1e-3);
  }
}

}  // namespace
}  // namespace sglrun::model
