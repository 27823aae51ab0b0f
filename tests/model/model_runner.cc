#include "model/model_runner.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/check.h"

namespace sglrun::model {
namespace {

KvCache MakeCache(const Model& model, tensor::DType dtype, std::int64_t pages) {
  auto cache = KvCache::Create(model.spec(), dtype, pages, model.backend());
  CHECK(cache.ok()) << cache.error().message;
  return std::move(*cache);
}

}  // namespace

const kernels::Backend& BackendForTest(std::string_view isa) {
  if (isa == "ref") return kernels::RefBackend();
  auto backend = kernels::CpuBackend(isa);
  CHECK(backend.ok()) << backend.error().message;
  CHECK((*backend)->isa == isa) << "asked for " << isa << ", got " << (*backend)->isa;
  return **backend;
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names{"ref"};
  for (const std::string_view isa : kernels::CpuIsas()) names.emplace_back(isa);
  return names;
}

std::vector<std::string> GoldenModels() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> GoldenGgufModels() {
  std::vector<std::string> names = GoldenModels();
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" +
                                    name + "/model.gguf");
  });
  return names;
}

LoadedModel LoadForTest(const std::string& path, std::string_view isa, tensor::DType dtype,
                        int threads, const std::vector<std::string>& adapters) {
  auto files = ModelFiles::Open(path);
  CHECK(files.ok()) << files.error().message;
  LoadedModel loaded;
  loaded.pool = std::make_unique<ThreadPool>(threads);
  loaded.context = std::make_unique<kernels::KernelContext>(*loaded.pool);
  std::vector<AdapterFiles> opened;
  for (const std::string& adapter : adapters) {
    auto one = AdapterFiles::Open(adapter, *files);
    CHECK(one.ok()) << one.error().message;
    opened.push_back(std::move(*one));
  }
  auto model =
      Model::Load(*files, {.dtype = dtype, .backend = &BackendForTest(isa), .adapters = opened},
                  *loaded.context);
  CHECK(model.ok()) << model.error().message;
  loaded.model = std::move(*model);
  return loaded;
}

std::vector<int> AllOf(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i);
  return all;
}

ModelRunner::ModelRunner(Model& model, int rows, int max_tokens_per_row, tensor::DType kv_dtype)
    : model_(model),
      rows_(rows),
      pages_per_row_((max_tokens_per_row + kernels::kPageSize - 1) / kernels::kPageSize),
      cache_(MakeCache(model, kv_dtype, rows * pages_per_row_)),
      lengths_(static_cast<std::size_t>(rows), 0),
      adapters_(static_cast<std::size_t>(rows), kNoAdapter) {}

std::int32_t ModelRunner::Page(int row, std::int64_t index) const {
  return static_cast<std::int32_t>((pages_per_row_ - 1 - index) * rows_ + row);
}

std::vector<std::vector<float>> ModelRunner::Step(const std::vector<Feed>& feeds) {
  std::vector<std::int32_t> ids, positions, query_start{0}, kv_len, tables, slots, outputs,
      adapters;
  for (const Feed& feed : feeds) {
    std::int32_t& length = lengths_[static_cast<std::size_t>(feed.row)];
    for (const int index : feed.wanted) {
      outputs.push_back(static_cast<std::int32_t>(ids.size()) + index);
    }
    for (const std::int32_t token : feed.tokens) {
      const std::int32_t page = Page(feed.row, length / kernels::kPageSize);
      slots.push_back(page * kernels::kPageSize + length % kernels::kPageSize);
      ids.push_back(token);
      positions.push_back(length++);
    }
    CHECK(length <= pages_per_row_ * kernels::kPageSize);
    adapters.push_back(adapters_[static_cast<std::size_t>(feed.row)]);
    query_start.push_back(static_cast<std::int32_t>(ids.size()));
    kv_len.push_back(length);
    for (std::int64_t i = 0; i < pages_per_row_; ++i) tables.push_back(Page(feed.row, i));
  }
  const std::int64_t width = model_.spec().hidden_size;
  const auto count = static_cast<std::int64_t>(outputs.size());
  // One row more, so that a step without outputs has a place too.
  std::vector<float> hidden(static_cast<std::size_t>((count + 1) * width), -7.0f);
  model_.Forward({.token_ids = ids,
                  .positions = positions,
                  .positions_per_token = 1,
                  .query_start = query_start,
                  .kv_len = kv_len,
                  .adapters = adapters,
                  .block_tables = tables.data(),
                  .block_table_stride = pages_per_row_,
                  .slots = slots,
                  .output_tokens = outputs,
                  .embed_row = {},
                  .input_embeds = {}},
                 cache_, tensor::MakeView(hidden.data(), tensor::DType::kF32, {count, width}));
  std::vector<std::vector<float>> rows;
  for (std::int64_t j = 0; j < count; ++j) {
    rows.emplace_back(hidden.begin() + j * width, hidden.begin() + (j + 1) * width);
  }
  return rows;
}

std::vector<float> ModelRunner::Logits(const std::vector<float>& hidden, std::int32_t adapter) {
  const std::vector<std::int32_t> adapters = {adapter};
  std::vector<float> copy = hidden;
  std::vector<float> logits(static_cast<std::size_t>(model_.spec().vocab_size));
  model_.Logits(tensor::MakeView(copy.data(), tensor::DType::kF32,
                                 {1, static_cast<std::int64_t>(copy.size())}),
                adapters,
                tensor::MakeView(logits.data(), tensor::DType::kF32,
                                 {1, static_cast<std::int64_t>(logits.size())}));
  return logits;
}

double LogProbability(const std::vector<float>& logits, std::int32_t token) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float z : logits) sum += std::exp(z - top);
  return logits[static_cast<std::size_t>(token)] - top - std::log(sum);
}

std::int32_t ArgMax(const std::vector<float>& logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace sglrun::model
