// A result depends on its record alone, to the last bit: alone or among others, in any order, with
// any chunk size, thread count and cache size, recomputed after preemption or taken from the cache.
#include <algorithm>
#include <filesystem>
#include <random>

#include "engine_fixture.h"
#include "fake_tokenizer.h"
#include "many_requests.h"
#include "result_text.h"

namespace sglrun::engine {
namespace {

std::vector<std::string> Texts(const std::vector<GenerateResult>& results) {
  std::vector<std::string> texts;
  for (const GenerateResult& result : results) texts.push_back(ResultText(result));
  return texts;
}

struct Subject {
  Subject(const std::string& folder, tensor::DType dtype,
          tensor::DType cached_as = tensor::DType::kBF16)
      : kv_dtype(cached_as), two_threads(two), one_thread(one) {
    auto files = model::ModelFiles::Open(std::string(SGLRUN_SOURCE_DIR) + "/" + folder);
    REQUIRE_MESSAGE(files.ok(), (files.ok() ? "" : files.error().message));
    for (auto* model : {&alone, &paired}) {
      kernels::KernelContext& context = model == &alone ? one_thread : two_threads;
      auto loaded =
          model::Model::Load(*files, {.dtype = dtype, .backend = &BackendUnderTest()}, context);
      REQUIRE(loaded.ok());
      *model = std::move(loaded).value();
    }
    page_bytes = model::KvPageBytes(alone->spec(), kv_dtype, alone->backend());
  }
  tensor::DType kv_dtype;
  ThreadPool one{1}, two{2};
  kernels::KernelContext two_threads, one_thread;
  std::unique_ptr<model::Model> alone, paired;  // on one thread, on two
  std::int64_t page_bytes = 0;
};

void CheckInvariance(Subject& subject, const tokenizer::Tokenizer& tokenizer,
                     const std::vector<GenerateRequest>& requests) {
  const auto engine = [&](EngineOptions options) {
    options.kv_dtype = subject.kv_dtype;
    return MakeEngine(*subject.alone, tokenizer, options, subject.one_thread);
  };
  std::vector<std::string> expected;
  {
    // Each request in an engine of its own, in one chunk.
    for (const GenerateRequest& request : requests) {
      const auto own = engine({.max_rows = 1, .max_batch_tokens = 512});
      expected.push_back(ResultText(RunOne(*own, request)));
    }
  }
  const auto check = [&](const char* what, const std::vector<GenerateResult>& results) {
    INFO(what);
    const auto texts = Texts(results);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      INFO("request ", i);
      REQUIRE(texts[i] == expected[i]);
    }
  };

  const auto together = engine({.max_rows = 64});
  check("together", RunAll(*together, requests));
  check("from the prefix cache", RunAll(*together, requests));
  CHECK(together->stats().cached_tokens > 0);

  std::vector<std::size_t> order(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, std::mt19937(4));
  std::vector<GenerateRequest> shuffled;
  for (const std::size_t i : order) shuffled.push_back(requests[i]);
  auto results = RunAll(*engine({.max_rows = 64}), shuffled);
  std::vector<GenerateResult> sorted(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[order[i]] = std::move(results[i]);
  check("shuffled", sorted);

  for (const std::int64_t chunk : {16, 64, 100}) {
    check("in chunks", RunAll(*engine({.max_rows = 16, .max_batch_tokens = chunk}), requests));
  }

  const auto tiny = engine({.max_rows = 16, .kv_memory_bytes = 16 * subject.page_bytes});
  check("in a cache of 16 pages", RunAll(*tiny, requests));
  CHECK(tiny->stats().preemptions > 0);

  const auto paired =
      MakeEngine(*subject.paired, tokenizer, {.max_rows = 16, .kv_dtype = subject.kv_dtype},
                 subject.two_threads);
  check("on two threads", RunAll(*paired, requests));
}

TEST_CASE("results depend on the record alone: llama in float32, cached in int8") {
  Subject subject("tests/golden/models/llama3", tensor::DType::kF32, tensor::DType::kI8);
  CheckInvariance(subject, NumberedTokenizer(250), ManyRequests(250, 64));
}

TEST_CASE("results depend on the record alone: sliding window in bfloat16") {
  Subject subject("tests/golden/models/mistral_window", tensor::DType::kBF16);
  CheckInvariance(subject, NumberedTokenizer(250), ManyRequests(250, 40));
}

TEST_CASE("results depend on the record alone: the sample model, prompts as text") {
  Subject subject("samples/model", tensor::DType::kBF16);
  const auto tokenizer =
      tokenizer::Tokenizer::Load(std::string(SGLRUN_SOURCE_DIR) + "/samples/model");
  REQUIRE(tokenizer.ok());
  std::vector<GenerateRequest> requests = ManyRequests(200, 24);
  const char* texts[] = {"Once upon a time", "2 + 3 =", "The capital of France is",
                         "Once upon a time there was a little hen named Emma. Emma lived in"};
  for (std::size_t i = 0; i < requests.size(); i += 2) {
    requests[i].input_ids.reset();
    requests[i].text = texts[i / 2 % 4];
    requests[i].logprob_start_len = std::min<std::int64_t>(requests[i].logprob_start_len, 2);
    requests[i].return_text_in_logprobs = true;
  }
  CheckInvariance(subject, **tokenizer, requests);
}

}  // namespace
}  // namespace sglrun::engine
