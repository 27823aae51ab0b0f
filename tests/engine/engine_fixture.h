// A model, a tokenizer and engines over them, and short ways to write requests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend_under_test.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/sequence.h"

#include <doctest/doctest.h>  // last: its CHECK replaces base/check.h's

namespace sglrun::engine {

// `change` may set any sampling parameter; without it the request is greedy with 8 new tokens.
inline GenerateRequest Request(std::vector<std::int32_t> ids,
                               const std::function<void(SamplingParams&)>& change = {}) {
  auto params = std::make_shared<SamplingParams>();
  params->top_k = 1;
  params->max_new_tokens = 8;
  params->max_new_tokens_stated = true;
  if (change) change(*params);
  GenerateRequest request;
  request.input_ids = std::move(ids);
  request.sampling = std::move(params);
  return request;
}

inline std::unique_ptr<Engine> MakeEngine(model::Model& model,
                                          const tokenizer::Tokenizer& tokenizer,
                                          const EngineOptions& options,
                                          kernels::KernelContext& context) {
  auto engine = Engine::Create(model, tokenizer, options, context);
  REQUIRE_MESSAGE(engine.ok(), (engine.ok() ? "" : engine.error().message));
  return std::move(engine).value();
}

// Runs requests together; result i belongs to request i.
inline std::vector<GenerateResult> RunAll(Engine& engine, std::vector<GenerateRequest> requests) {
  std::vector<GenerateResult> results(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].ticket = i;
    auto sequence = engine.Admit(std::move(requests[i]));
    REQUIRE_MESSAGE(sequence.ok(), (sequence.ok() ? "" : sequence.error().message));
    engine.Submit(std::move(sequence).value());
  }
  while (engine.HasWork()) {
    for (GenerateResult& result : engine.Step()) {
      const auto ticket = static_cast<std::size_t>(result.ticket);
      results[ticket] = std::move(result);
    }
  }
  return results;
}

inline GenerateResult RunOne(Engine& engine, GenerateRequest request) {
  return std::move(RunAll(engine, {std::move(request)})[0]);
}

}  // namespace sglrun::engine
