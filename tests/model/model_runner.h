// Runs a model over token lists the way the engine does: ragged steps over a paged cache. Pages of
// the rows lie interleaved and backwards, so that a test cannot pass by contiguous luck.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/context.h"
#include "model/blocks/adapter.h"
#include "model/files/model_files.h"
#include "model/kv_cache.h"
#include "model/model.h"

namespace sglrun::model {

// A loaded model with the threads it runs on.
struct LoadedModel {
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<kernels::KernelContext> context;
  std::unique_ptr<Model> model;
};

// Aborts the test with the error sentence when loading fails. `isa` is "ref" or one of CpuIsas().
LoadedModel LoadForTest(const std::string& path, std::string_view isa,
                        tensor::DType dtype = tensor::DType::kF32, int threads = 2,
                        const std::vector<std::string>& adapters = {});
const kernels::Backend& BackendForTest(std::string_view isa);
// "ref" and every instruction set of this machine.
std::vector<std::string> BackendNames();

// The folders of tests/golden/models, sorted: one or more of every family; and those of them that
// also hold the model as GGUF, which not every family has a form in.
std::vector<std::string> GoldenModels();
std::vector<std::string> GoldenGgufModels();

// What one row gets in a step, and which of its tokens' hidden states are wanted.
struct Feed {
  int row = 0;
  std::vector<std::int32_t> tokens;
  std::vector<int> wanted;  // indices into tokens, ascending
};

// `count` indices from 0: all tokens of a feed.
std::vector<int> AllOf(std::size_t count);

class ModelRunner {
 public:
  ModelRunner(Model& model, int rows, int max_tokens_per_row,
              tensor::DType kv_dtype = tensor::DType::kF32);

  // Hidden states of the wanted tokens, feed after feed.
  std::vector<std::vector<float>> Step(const std::vector<Feed>& feeds);
  // The whole prompt in one step, all hidden states.
  std::vector<std::vector<float>> Prefill(int row, const std::vector<std::int32_t>& tokens) {
    return Step({{row, tokens, AllOf(tokens.size())}});
  }
  std::vector<float> Logits(const std::vector<float>& hidden, std::int32_t adapter = kNoAdapter);
  // The steps of the row run with this adapter.
  void SetAdapter(int row, std::int32_t adapter) {
    adapters_[static_cast<std::size_t>(row)] = adapter;
  }

 private:
  std::int32_t Page(int row, std::int64_t index) const;

  Model& model_;
  int rows_;
  std::int64_t pages_per_row_;
  KvCache cache_;
  std::vector<std::int32_t> lengths_, adapters_;
};

// log softmax of `logits` at `token`.
double LogProbability(const std::vector<float>& logits, std::int32_t token);
// Ties to the lowest id.
std::int32_t ArgMax(const std::vector<float>& logits);

}  // namespace sglrun::model
