// The inside of an engine: engine.cc is its outside, step.cc and step_grammar.cc the heartbeat.
//
// A step is: forward pass, masks of its rows, sampling, tokens. On a device the first and third
// only enqueue, so masks are filled while the forward pass runs, and the forward pass of the next
// step is launched before the tokens of this one are read: its rows take them from where the draw
// leaves them. A row whose sequence turns out to have ended is dropped. Where the backend computes
// on the host there is nothing to run ahead of, and steps follow each other.
#pragma once

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
#include "model/kv_cache.h"
#include "sampling/logits_pipeline.h"
#include "sampling/sampling_batch.h"
#include "tensor/buffer.h"

namespace sglrun::engine {

struct Engine::Impl {
  // `kv`: `pages` pages, and one more on a device, which nobody owns.
  Impl(model::Model& the_model, const tokenizer::Tokenizer& the_tokenizer,
       const EngineOptions& effective, kernels::KernelContext& the_context, model::KvCache kv,
       std::int64_t pages);

  // Every buffer was to be had.
  bool ok() const;

  std::vector<GenerateResult> Step();

  // In the order of a step.
  std::vector<GenerateResult> OpenGate();
  bool PlanRows();
  void Launch(std::span<const PlannedRow> planned);
  void FillMasks();
  void CaptureStates();
  void CaptureHiddenRows(Sequence& sequence, const OutputRows& outputs);
  void AddRow(Sequence& sequence, std::int64_t row);
  void StartDraw();
  void TakeForcedTokens();
  void MarkComputed();
  void RunAhead(std::vector<GenerateResult>& results);
  void TakeDrawnTokens();
  void TakeToken(Sequence& sequence, std::int64_t row, const sampling::SampledTokens& sampled);
  void FollowGrammars();
  void CollectPartials();
  void Retire(std::vector<GenerateResult>& results);
  void CountStep();

  std::int64_t JumpIfAsked(Sequence& sequence) const;
  // Fills the masks of rows, all threads at once; with `jumps`, takes the text that is forced.
  void Prepare(std::span<Sequence* const> sequences, bool jumps);
  static void FailAtDeadEnd(Sequence& sequence);
  void EndGrammar(Sequence& sequence);
  bool runs_ahead() const { return model.backend().device != nullptr; }
  std::int64_t MaskWords() const { return (model.config().vocab_size + 31) / 32; }

  model::Model& model;
  const tokenizer::Tokenizer& tokenizer;
  EngineOptions options;
  kernels::KernelContext& context;
  LogprobRecorder recorder;
  std::vector<std::int32_t> stop_ids;
  StopRegexes stop_regexes;
  GrammarGate gate;
  model::KvCache cache;
  BlockManager blocks;
  Scheduler scheduler;
  tensor::Buffer drawn;      // tokens of the draw, on a device
  StepArrays arrays;         // of the step launched last
  RowBuffer hidden;          // states of all its wanted rows
  RowBuffer sampled_hidden;  // states of the rows that give a token
  RowBuffer logits;
  PromptLogprobs prompt_logprobs;
  ForcedLogprobs forced_logprobs;
  sampling::LogitsPipeline pipeline;
  sampling::SamplingBatch batch;

  // The step and the one launched ahead of its tokens, if any. A row whose sequence has left has
  // none.
  std::vector<PlannedRow> rows, next_rows;
  std::vector<Sequence*> sampled;          // row r of the batch belongs to sampled[r]
  std::vector<std::int32_t> sampled_rows;  // and is this row of `hidden`
  std::vector<Sequence*> forced;   // rows whose constraint leaves one token: nothing is drawn
  std::vector<float> hidden_rows;  // on their way to a sequence
  std::vector<std::uint32_t> mask_words;  // a line for each row of the batch with a constraint
  std::vector<GenerateResult> partials;
  EngineStats stats;
};

}  // namespace sglrun::engine
