// The engine turns requests into results. It owns the sequences and plans every step; it contains
// no JSON. `batch`, `bench` and the tests are callers of the same engine.
//
//   Engine engine(model, tokenizer, options, context);
//   SGLRUN_ASSIGN_OR_RETURN(auto sequence, engine.Admit(request));   // RecordError: too long, ...
//   engine.Submit(std::move(sequence));
//   while (engine.HasWork()) for (GenerateResult& r : engine.Step()) ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/ir/options.h"
#include "kernels/backend.h"
#include "model/model.h"
#include "request/generate_request.h"
#include "request/generate_result.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

class Sequence;  // engine/sequence.h

// The text that ends the reasoning of a record with require_reasoning.
inline constexpr std::string_view kDefaultReasoningEnd = "</think>";

enum class LogprobsMode : std::uint8_t {
  kSampled,   // output logprobs of the distribution that was sampled: softmax(z / T)
  kOriginal,  // softmax(z)
};

struct EngineOptions {
  std::int64_t max_rows = 64;           // sequences decoded together
  std::int64_t max_batch_tokens = 512;  // tokens of one step, prefill chunks included
  std::int64_t kv_memory_bytes = 0;     // 0: what the rows need, bounded by free memory
  tensor::DType kv_dtype = tensor::DType::kBF16;
  std::int64_t context_length = 0;  // 0: the model's
  LogprobsMode logprobs_mode = LogprobsMode::kSampled;
  grammar::GrammarOptions grammar = {};
  bool jump_forward = false;  // take text that a constraint forces as several tokens at once
  std::string reasoning_end = std::string(kDefaultReasoningEnd);
  bool partial_results = false;  // Partials() returns unfinished sequences
};

struct EngineStats {
  std::int64_t steps = 0;
  std::int64_t step_rows = 0;      // sequences in the last of them
  std::int64_t prompt_tokens = 0;  // computed, cached ones not counted
  std::int64_t cached_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t preemptions = 0;
  std::int64_t running = 0;  // sequences now in the batch
  std::int64_t waiting = 0;
  std::int64_t kv_pages = 0;
  std::int64_t kv_pages_used = 0;
};

// The request's limits and stop rules, checked against a model: what `plan` needs without weights.
struct PromptLimits {
  std::int64_t context_length = 0;
  std::int64_t vocab_size = 0;   // input ids must be below this
  std::int64_t hidden_size = 0;  // width of input_embeds
  std::string_view reasoning_end = kDefaultReasoningEnd;
};

// A request with its prompt as ids and its final limits: max_new_tokens and min_new_tokens clipped,
// lengths and ids checked.
struct PreparedPrompt {
  std::vector<std::int32_t> token_ids;  // for input_embeds: ids of 1 as placeholders
  // The text begins with the BOS token, and the tokenizer has added another one.
  bool begins_twice = false;
  std::int64_t max_new_tokens = 0;
  std::int64_t min_new_tokens = 0;
  // The tokens that a constraint waits for; none when it begins with the text.
  std::vector<std::int32_t> reasoning_end;
  std::int64_t result_bytes = 0;  // at most (result_room.h)
};
Result<PreparedPrompt, RecordError> PreparePrompt(const GenerateRequest& request,
                                                  const tokenizer::Tokenizer& tokenizer,
                                                  const PromptLimits& limits);

// Positions in the cache: the last token of an answer is never fed.
std::int64_t MostCachedTokens(std::int64_t prompt_tokens, std::int64_t max_new_tokens);
// Refuses a prompt that does not fit into a cache of this many pages.
Result<void, RecordError> CheckCacheRoom(const PreparedPrompt& prompt, std::int64_t pages);

class Engine {
 public:
  // Plans the memory and allocates the cache; fails with what was needed, what was free and which
  // option to change. All references must outlive the engine.
  static Result<std::unique_ptr<Engine>> Create(model::Model& model,
                                                const tokenizer::Tokenizer& tokenizer,
                                                const EngineOptions& options,
                                                kernels::KernelContext& context);
  ~Engine();

  // Tokenizes and checks, without making a sequence; thread-safe.
  Result<PreparedPrompt, RecordError> Prepare(const GenerateRequest& request) const;

  // Tokenizes and checks; thread-safe. The sequence is complete in itself.
  Result<std::unique_ptr<Sequence>, RecordError> Admit(GenerateRequest request) const;

  // The number of admitted prompts with two BOS tokens (PreparedPrompt); thread-safe.
  std::int64_t begun_twice() const;

  // Queues a sequence. Sequences are admitted to the batch in the order of submission, except where
  // waiting for a shared prefix saves work.
  void Submit(std::unique_ptr<Sequence> sequence);

  bool HasWork() const;
  // There is work that does not have to wait for constraints being compiled, so Step does not
  // block.
  bool CanStep() const;
  // Drops all submitted sequences. The prefix cache is kept.
  void CancelAll();
  // Sequences submitted and not finished.
  std::int64_t InFlight() const;
  // What compiled constraints and the places of sequences in them take; thread-safe.
  std::int64_t ConstraintBytes() const;
  // The number of tokens of the waiting sequences, which limits how far records are read ahead.
  std::int64_t WaitingTokens() const;

  // One step: plan, gather, forward pass, logits pipeline, advance, retire. Returns the results
  // that finished in it.
  std::vector<GenerateResult> Step();

  // With EngineOptions::partial_results: the sequences that got a token in the last step and
  // continue, with everything they have so far. A sequence is left out while its text could still
  // become a stop string.
  const std::vector<GenerateResult>& Partials() const;

  const EngineStats& stats() const;
  const EngineOptions& options() const;  // effective values

 private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::engine
