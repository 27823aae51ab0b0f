// The implementation of the engine: engine.cc contains the public interface, step.cc and
// step_grammar.cc a step.
//
// A step is: forward pass, masks of its rows, sampling, tokens. On a device the first and third
// only enqueue, so masks are filled while the forward pass runs, and the forward pass of the next
// step is launched before the tokens of this one are read: its rows read them from the device
// memory into which the draw writes them. If a sequence turns out to have ended, its row is
// dropped. On the host nothing runs ahead: steps run one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/block_manager.h"
#include "engine/engine.h"
#include "engine/engine_setup.h"
#include "engine/forced_logprobs.h"
#include "engine/grammar_gate.h"
#include "engine/logprob_recorder.h"
#include "engine/prompt_logprobs.h"
#include "engine/row_buffer.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "engine/step_arrays.h"
#include "engine/step_rows.h"
#include "model/kv_cache.h"
#include "sampling/logits_pipeline.h"
#include "sampling/sampling_batch.h"
#include "tensor/buffer.h"

namespace sglrun::engine {

struct Engine::Impl {
  // `kv`: `pages` pages, and on a device one more, which no sequence owns.
  Impl(model::Model& the_model, const tokenizer::Tokenizer& the_tokenizer,
       const EngineOptions& effective, kernels::KernelContext& the_context, model::KvCache kv,
       std::int64_t pages);

  // Whether all buffers could be allocated.
  bool ok() const;

  std::vector<GenerateResult> Step();

  // The phases of a step, in this order. A phase passes data to a later one through its result or a
  // non-const argument; `arrays` and `batch` only reuse their memory between steps.
  std::vector<GenerateResult> OpenGate();
  StepRows NextRows();
  StepRows Launch(std::span<const PlannedRow> planned);
  void PrepareRules(const StepRows& step);
  DrawRows CaptureStates(const StepRows& step);
  void CaptureHiddenRows(const StepRow& row, tensor::TensorView states);
  void AddToDraw(Sequence& sequence, std::int64_t output_row, DrawRows& draw);
  void StartDraw(DrawRows& draw, tensor::TensorView states);
  void TakeForcedTokens(DrawRows& draw);
  void MarkComputed(const StepRows& step);
  StepRows LaunchAhead(const DrawRows& draw);
  void TakeDrawnTokens(const DrawRows& draw);
  void TakeToken(Sequence& sequence, std::int64_t row, const sampling::SampledTokens& drawn_tokens);
  void FollowGrammars(const DrawRows& draw);
  std::vector<GenerateResult> CollectPartials(const DrawRows& draw) const;
  void Retire(StepRows& step, std::span<Sequence* const> unread,
              std::vector<GenerateResult>& results);
  void CountStep(const StepRows& step);

  tensor::TensorView StatesOf(const StepRows& step) const { return hidden.Rows(step.output_count); }
  tensor::TensorView GatherStates(std::span<const std::int32_t> rows, tensor::TensorView states);

  std::int64_t JumpIfAsked(Sequence& sequence) const;
  // Fills the masks of rows on all threads; with `jumps`, also appends forced text.
  void Prepare(std::span<Sequence* const> sequences, bool jumps);
  static void FailAtDeadEnd(Sequence& sequence);
  void EndGrammar(Sequence& sequence);
  bool runs_ahead() const { return model.backend().device != nullptr; }
  std::int64_t MaskWords() const { return (model.spec().vocab_size + 31) / 32; }

  model::Model& model;
  const tokenizer::Tokenizer& tokenizer;
  EngineOptions options;
  kernels::KernelContext& context;
  LogprobRecorder recorder;
  std::vector<std::int32_t> stop_ids;
  StopRegexes stop_regexes;
  std::atomic<std::int64_t> begun_twice{0};
  GrammarGate gate;
  model::KvCache cache;
  BlockManager blocks;
  Scheduler scheduler;
  tensor::Buffer drawn;      // tokens of the draw, on a device
  StepArrays arrays;         // the step launched last, as the model reads it
  RowBuffer hidden;          // states of all its wanted rows
  RowBuffer sampled_hidden;  // states of the rows that give a token
  RowBuffer logits;
  PromptLogprobs prompt_logprobs;
  ForcedLogprobs forced_logprobs;
  sampling::LogitsPipeline pipeline;
  sampling::SamplingBatch batch;   // the rows of the draw, as the pipeline reads them
  std::vector<float> hidden_rows;  // downloaded states, before a sequence takes them

  StepRows ahead;  // launched before the tokens of the last step were read; no rows: none was
  std::vector<GenerateResult> partials;
  EngineStats stats;
};

}  // namespace sglrun::engine
