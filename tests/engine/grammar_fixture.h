// Requests with constraints, over a model whose logits depend on the next token alone and a
// vocabulary of letters and a few words.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine_fixture.h"
#include "fake_tokenizer.h"

#include "chain_model.h"

namespace sglrun::engine {

inline constexpr std::int32_t kBos = 0, kEos = 1, kTag = 2;

// Every printable ASCII character, a few words, and special tokens.
inline FakeTokenizer Letters() {
  std::vector<std::string> words = {"<bos>", "<eos>", "<tag>"};
  for (char c = ' '; c <= '~'; ++c) words.emplace_back(1, c);
  for (const char* word : {"France", "Eng", "land", "true", "\":", "{\"", "12", "\n", ""}) {
    words.emplace_back(word);
  }
  return FakeTokenizer(std::move(words), {kEos});
}

using Logits = std::map<std::int32_t, float>;

// Logits by token alone; the vocabulary is padded beyond the tokenizer.
struct Subject {
  explicit Subject(Logits logits = {}, EngineOptions options = {}) : pool(2), context(pool) {
    const auto width = static_cast<std::int64_t>(tokenizer.vocab_size()) + 40;
    LogitTable table;
    for (std::int32_t last = 0; last < width; ++last) table[last] = logits;
    model = ChainModel({.vocab_size = width, .eos_token_ids = {kEos}}, table, BackendUnderTest(),
                       context);
    engine = MakeEngine(*model, tokenizer, options, context);
  }
  std::int32_t Id(std::string_view word) const { return *tokenizer.Find(word); }

  ThreadPool pool;
  kernels::KernelContext context;
  FakeTokenizer tokenizer = Letters();
  std::unique_ptr<model::Model> model;
  std::unique_ptr<Engine> engine;
};

inline GenerateRequest Constrained(ConstraintKind kind, std::string text,
                                   const std::function<void(SamplingParams&)>& change = {}) {
  return Request({kBos}, [&](SamplingParams& p) {
    p.max_new_tokens = 60;
    p.constraint = Constraint{kind, std::move(text)};
    if (change) change(p);
  });
}

inline GenerateRequest Sampled(GenerateRequest request, std::uint64_t seed) {
  auto params = std::make_shared<SamplingParams>(*request.sampling);
  params->top_k = kTopKAll;
  request.sampling = std::move(params);
  request.seed = seed;
  return request;
}

inline bool EndsAtEos(const GenerateResult& result) {
  return !result.error && result.finish_reason.kind == FinishReason::Kind::kStop &&
         result.finish_reason.matched == std::variant<std::int32_t, std::string>(kEos) &&
         result.output_ids.back() == kEos;
}

}  // namespace sglrun::engine
