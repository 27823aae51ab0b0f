#include "engine/engine.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/block_manager.h"
#include "engine/engine_setup.h"
#include "engine/forced_logprobs.h"
#include "engine/grammar_gate.h"
#include "engine/jump_forward.h"
#include "engine/logprob_recorder.h"
#include "engine/memory_plan.h"
#include "engine/prompt_logprobs.h"
#include "engine/row_buffer.h"
#include "engine/row_wishes.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "engine/step_arrays.h"
#include "model/available_memory.h"
#include "model/kv_cache.h"
#include "sampling/logits_pipeline.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

struct Engine::Impl {
  Impl(model::Model& the_model, const tokenizer::Tokenizer& the_tokenizer,
       const EngineOptions& effective, kernels::KernelContext& the_context, model::KvCache kv)
      : model(the_model),
        tokenizer(the_tokenizer),
        options(effective),
        context(the_context),
        recorder(the_tokenizer),
        stop_ids(StopIds(the_model.config(), the_tokenizer)),
        gate(effective.grammar, the_tokenizer, the_model.config().vocab_size, stop_ids),
        cache(std::move(kv)),
        blocks(cache.num_pages()),
        scheduler({.max_rows = effective.max_rows, .max_batch_tokens = effective.max_batch_tokens},
                  blocks),
        arrays(the_model.config().hidden_size),
        hidden(the_model.backend(), effective.max_batch_tokens, the_model.config().hidden_size),
        sampled_hidden(the_model.backend(), effective.max_rows, the_model.config().hidden_size),
        logits(the_model.backend(), std::max(effective.max_rows, kPromptLogprobRows),
               the_model.config().vocab_size),
        prompt_logprobs(the_model, recorder, logits),
        forced_logprobs(the_model, recorder, logits, effective.logprobs_mode),
        pipeline(the_model.backend(),
                 SampleableBits(the_tokenizer, the_model.config().vocab_size)),
        hidden_row(static_cast<std::size_t>(the_model.config().hidden_size)) {}

  void CaptureStates(std::span<const PlannedRow> rows);
  void AddToBatch(const Sequence& sequence);
  std::vector<GenerateResult> OpenGate();
  void TakeTokens();
  void PrepareGrammars();
  std::int64_t JumpIfAsked(Sequence& sequence) const;
  static void FailAtDeadEnd(Sequence& sequence);
  void EndGrammar(Sequence& sequence);
  std::int64_t MaskWords() const { return (model.config().vocab_size + 31) / 32; }
  void TakeToken(Sequence& sequence, std::int64_t row, const sampling::SampledTokens& sampled);
  std::vector<GenerateResult> Retire(std::span<const PlannedRow> rows);
  void CollectPartials();
  void CountStep(std::span<const PlannedRow> rows);

  model::Model& model;
  const tokenizer::Tokenizer& tokenizer;
  EngineOptions options;
  kernels::KernelContext& context;
  LogprobRecorder recorder;
  std::vector<std::int32_t> stop_ids;
  GrammarGate gate;
  model::KvCache cache;
  BlockManager blocks;
  Scheduler scheduler;
  StepArrays arrays;
  RowBuffer hidden;          // states of all wanted rows
  RowBuffer sampled_hidden;  // states of the rows that give a token
  RowBuffer logits;
  PromptLogprobs prompt_logprobs;
  ForcedLogprobs forced_logprobs;
  sampling::LogitsPipeline pipeline;
  sampling::SamplingBatch batch;
  std::vector<Sequence*> sampled;  // row r of the batch belongs to sampled[r]
  std::vector<std::int32_t> sampled_rows;  // and is this row of `hidden`
  std::vector<float> hidden_row;           // on its way to a sequence
  std::vector<Sequence*> forced;   // rows whose constraint leaves one token: nothing is drawn
  std::vector<std::uint32_t> mask_words;  // a line for each row of the batch with a constraint
  std::vector<GenerateResult> partials;
  EngineStats stats;
};

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Create(model::Model& model,
                                               const tokenizer::Tokenizer& tokenizer,
                                               const EngineOptions& options,
                                               kernels::KernelContext& context) {
  SGLRUN_ASSIGN_OR_RETURN(EngineOptions effective, EffectiveOptions(options, model.config()));
  MemoryNeeds needs;
  needs.page_bytes = model::KvPageBytes(model.config(), effective.kv_dtype, model.backend());
  needs.max_rows = effective.max_rows;
  needs.context_length = effective.context_length;
  needs.kv_memory_bytes = effective.kv_memory_bytes;
  needs.available_bytes = model::AvailableMemory(model.backend());
  // Nobody else wants a device's memory, but the activations of a step.
  if (model.backend().device != nullptr) needs.share = 0.9;
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t pages, PlanPages(needs));
  effective.kv_memory_bytes = pages * needs.page_bytes;
  SGLRUN_ASSIGN_OR_RETURN(auto cache, model::KvCache::Create(model.config(), effective.kv_dtype,
                                                             pages, model.backend()));
  auto impl = std::make_unique<Impl>(model, tokenizer, effective, context, std::move(cache));
  if (!impl->hidden.ok() || !impl->sampled_hidden.ok() || !impl->logits.ok() ||
      !impl->prompt_logprobs.ok() || !impl->forced_logprobs.ok()) {
    return Error{"no memory for the activations of a step (" +
                 FormatByteSize(impl->hidden.bytes() + impl->logits.bytes()) +
                 "): lower --max-rows (of bench, --batch-sizes) or --max-batch-tokens"};
  }
  impl->stats.kv_pages = pages;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Result<std::unique_ptr<Sequence>, RecordError> Engine::Admit(GenerateRequest request) const {
  const model::ModelConfig& config = impl_->model.config();
  const PromptLimits limits{.context_length = impl_->options.context_length,
                            .vocab_size = config.vocab_size,
                            .hidden_size = config.hidden_size,
                            .reasoning_end = impl_->options.reasoning_end};
  SGLRUN_ASSIGN_OR_RETURN(PreparedPrompt prompt, PreparePrompt(request, impl_->tokenizer, limits));
  SGLRUN_ASSIGN_OR_RETURN(
      StopCriteria stop, StopCriteria::Create(*request.sampling, prompt.max_new_tokens,
                                              impl_->stop_ids, impl_->tokenizer, prompt.token_ids));
  const std::int64_t top =
      request.return_logprob ? std::min(request.top_logprobs_num, config.vocab_size) : 0;
  auto sequence = std::make_unique<Sequence>(
      std::move(request), std::move(prompt.token_ids),
      Sequence::Limits{.max_new_tokens = prompt.max_new_tokens,
                       .min_new_tokens = prompt.min_new_tokens,
                       .top_logprobs = static_cast<std::int32_t>(std::max<std::int64_t>(top, 0)),
                       .vocab_size = config.vocab_size},
      std::move(stop));
  const std::int64_t room = impl_->blocks.num_pages() * kernels::kPageSize;
  if (sequence->max_cached_tokens() > room) {
    return RecordError{"the prompt has " + FormatCount(sequence->prompt_size()) +
                           " tokens and may get " + FormatCount(sequence->limits().max_new_tokens) +
                           " more, the key-value cache holds " + FormatCount(room) +
                           ": raise --kv-memory or lower max_new_tokens",
                       "sampling_params.max_new_tokens"};
  }
  impl_->recorder.Start(*sequence);
  if (sequence->params().constraint) {
    sequence->SetGrammar(impl_->gate.Want(*sequence, std::move(prompt.reasoning_end)));
  }
  return sequence;
}

void Engine::Submit(std::unique_ptr<Sequence> sequence) {
  sequence->submitted = std::chrono::steady_clock::now();
  if (impl_->options.partial_results) sequence->KeepText(impl_->tokenizer);
  if (sequence->grammar() != nullptr) {
    impl_->gate.Submit(std::move(sequence));
  } else {
    impl_->scheduler.Submit(std::move(sequence));
  }
}

bool Engine::HasWork() const {
  return impl_->scheduler.HasWork() || impl_->gate.waiting() > 0;
}

bool Engine::CanStep() const {
  return impl_->scheduler.HasWork() || impl_->gate.AnyReady();
}

void Engine::CancelAll() {
  impl_->gate.CancelAll();
  impl_->scheduler.CancelAll();
  impl_->partials.clear();
}

std::int64_t Engine::InFlight() const {
  return impl_->scheduler.running() + impl_->scheduler.waiting() + impl_->gate.waiting();
}

std::int64_t Engine::WaitingTokens() const {
  return impl_->scheduler.waiting_tokens();
}

std::vector<GenerateResult> Engine::Step() {
  Impl& impl = *impl_;
  impl.partials.clear();
  std::vector<GenerateResult> refused = impl.OpenGate();
  const std::span<const PlannedRow> rows = impl.scheduler.Plan();
  if (rows.empty()) return refused;
  impl.arrays.Gather(rows);
  impl.model.Forward(impl.arrays.batch(), impl.cache, impl.hidden.Rows(impl.arrays.output_count()));
  impl.CaptureStates(rows);
  impl.TakeTokens();
  impl.PrepareGrammars();
  impl.CollectPartials();
  std::vector<GenerateResult> results = impl.Retire(rows);
  results.insert(results.end(), std::make_move_iterator(refused.begin()),
                 std::make_move_iterator(refused.end()));
  return results;
}

// Lets sequences whose constraint is compiled go on to the scheduler; gives those whose constraint
// is refused. Waits only when there is nothing else to do.
std::vector<GenerateResult> Engine::Impl::OpenGate() {
  std::vector<GenerateResult> refused;
  const auto wait = scheduler.HasWork() ? GrammarGate::Wait::kNo : GrammarGate::Wait::kForOne;
  for (std::unique_ptr<Sequence>& sequence : gate.TakeReady(wait)) {
    if (!sequence->failure) {
      stats.output_tokens += JumpIfAsked(*sequence);
      FailAtDeadEnd(*sequence);
    }
    if (sequence->failure) {
      refused.push_back(sequence->TakeResult(tokenizer));
    } else {
      scheduler.Submit(std::move(sequence));
    }
  }
  return refused;
}

// Gives every wanted row of the model's output to whoever wants it: hidden states, prompt logprobs,
// and the batch of rows that give a token.
void Engine::Impl::CaptureStates(std::span<const PlannedRow> rows) {
  const tensor::TensorView states = hidden.Rows(arrays.output_count());
  batch.Clear();
  sampled.clear();
  sampled_rows.clear();
  forced.clear();
  mask_words.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Sequence& sequence = *rows[r].sequence;
    const OutputRows& outputs = arrays.outputs()[r];
    for (std::int64_t i = 0; i < outputs.count; ++i) {
      const std::int64_t position = outputs.first_position + i;
      const std::int64_t row = outputs.first_output + i;
      const bool is_last = position == sequence.size() - 1;
      const bool last_only =
          is_last && sequence.request().return_hidden_states == HiddenStates::kLast;
      if (last_only || sequence.wants_hidden_row(position)) {
        model.backend().table.download(hidden_row.data(), states.row(row),
                                       hidden_row.size() * sizeof(float), context);
        sequence.RecordHiddenRow(position, hidden_row);
      }
      if (sequence.wants_prompt_logprob_row(position)) {
        prompt_logprobs.Add(sequence, position, states, row, context);
      }
      if (sequence.ForcedBehind(position) != nullptr) {
        forced_logprobs.Add(sequence, position, states, row, context);
      }
      if (is_last && sequence.TakesForcedTokens() &&
          sequence.grammar()->next() == GrammarState::Next::kOne) {
        forced.push_back(&sequence);
      } else if (is_last) {
        sampled_rows.push_back(static_cast<std::int32_t>(row));
        sampled.push_back(&sequence);
        AddToBatch(sequence);
      }
    }
  }
  prompt_logprobs.Flush(context);
  forced_logprobs.Flush(context);
}

void Engine::Impl::AddToBatch(const Sequence& sequence) {
  sampling::RowWishes row = WishesOf(sequence, options.logprobs_mode);
  const GrammarState* grammar = sequence.grammar();
  if (grammar != nullptr && !grammar->mask().empty()) {
    const std::span<const std::uint32_t> mask = grammar->mask();
    row.grammar_line = static_cast<std::int32_t>(mask_words.size() / mask.size());
    mask_words.insert(mask_words.end(), mask.begin(), mask.end());
  }
  batch.Add(row);
}

void Engine::Impl::TakeTokens() {
  for (Sequence* sequence : forced) {
    sequence->Append(sequence->grammar()->only_token());
    ++stats.output_tokens;
  }
  const auto count = static_cast<std::int64_t>(sampled.size());
  if (count == 0) return;
  const tensor::TensorView rows = logits.Rows(count);
  model.Logits(sampled_hidden.Gather(hidden.Rows(arrays.output_count()), sampled_rows,
                                     model.backend(), context),
               rows);
  const sampling::SampledTokens& out =
      pipeline.Run(batch, rows, {.words = mask_words, .words_per_line = MaskWords()}, context);
  for (std::int64_t r = 0; r < count; ++r) {
    TakeToken(*sampled[static_cast<std::size_t>(r)], r, out);
  }
}

void Engine::Impl::TakeToken(Sequence& sequence, std::int64_t row,
                             const sampling::SampledTokens& out) {
  const auto r = static_cast<std::size_t>(row);
  const auto place = [&] {
    return "output token " + std::to_string(sequence.generated_size() + 1);
  };
  if (sequence.failure) return;
  if (out.status[r] == kernels::RowStatus::kNaN) {
    sequence.failure =
        AbortedRecord("the model's logits for " + place() + " are not numbers (NaN)");
    return;
  }
  if (sequence.limits().max_new_tokens == 0) {
    recorder.AddScoringRow(sequence, out.Logprobs(row));
    sequence.FinishScoring();
    return;
  }
  if (out.status[r] == kernels::RowStatus::kNoneLeft) {
    sequence.failure = AbortedRecord("no token allowed for " + place());
    return;
  }
  const std::int32_t token = out.tokens[r];
  recorder.AddOutputRow(sequence, token, out.Logprobs(row));
  if (sequence.result.sampling_mask) recorder.AddKeptSet(sequence, token, out.kept[r]);
  sequence.Append(token);
  ++stats.output_tokens;
}

// The masks of the next step. On the CPU the threads of a step are busy all through the forward
// pass, so nothing is gained by filling masks beside it; between two passes all of them share the
// rows.
void Engine::Impl::PrepareGrammars() {
  sampled.insert(sampled.end(), forced.begin(), forced.end());
  std::vector<Sequence*> rows;
  for (Sequence* sequence : sampled) {
    const bool goes_on = !sequence->finish && !sequence->failure;
    if (goes_on && sequence->grammar() != nullptr) rows.push_back(sequence);
  }
  if (rows.empty()) return;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> jumped = 0;
  auto prepare = [&](int, int) {
    for (std::size_t r = next++; r < rows.size(); r = next++) {
      rows[r]->grammar()->Prepare();
      jumped += JumpIfAsked(*rows[r]);
    }
  };
  context.pool().Run(prepare);
  stats.output_tokens += jumped;
  for (Sequence* sequence : rows) EndGrammar(*sequence);
}

// Tokens taken without a draw, for which threads may ask at once.
std::int64_t Engine::Impl::JumpIfAsked(Sequence& sequence) const {
  return options.jump_forward && sequence.JumpsForward() ? JumpForward(sequence, tokenizer) : 0;
}

void Engine::Impl::FailAtDeadEnd(Sequence& sequence) {
  const GrammarState& grammar = *sequence.grammar();
  if (grammar.next() != GrammarState::Next::kNone) return;
  sequence.failure =
      grammar.failure("output token " + std::to_string(sequence.generated_size() + 1));
}

// What needs no further step: a text that can only end, or cannot go on.
void Engine::Impl::EndGrammar(Sequence& sequence) {
  FailAtDeadEnd(sequence);
  const GrammarState& grammar = *sequence.grammar();
  const bool is_watched = sequence.request().return_hidden_states != HiddenStates::kNone;
  if (grammar.next() != GrammarState::Next::kEnd || is_watched || !sequence.TakesForcedTokens()) {
    return;
  }
  if (grammar.forced_end() >= 0) ++stats.output_tokens;
  sequence.EndByGrammar();
}

void Engine::Impl::CollectPartials() {
  if (!options.partial_results) return;
  for (const Sequence* sequence : sampled) {
    if (sequence->finish || sequence->failure) continue;
    if (auto partial = sequence->PartialResult()) partials.push_back(*std::move(partial));
  }
}

std::vector<GenerateResult> Engine::Impl::Retire(std::span<const PlannedRow> rows) {
  CountStep(rows);
  std::vector<GenerateResult> results;
  for (const PlannedRow& row : rows) {
    scheduler.Computed(row);
    if (!row.sequence->finish && !row.sequence->failure) continue;
    results.push_back(scheduler.Remove(*row.sequence)->TakeResult(tokenizer));
  }
  DCHECK((scheduler.CheckIntegrity(), true));
  return results;
}

void Engine::Impl::CountStep(std::span<const PlannedRow> rows) {
  ++stats.steps;
  stats.step_rows = static_cast<std::int64_t>(rows.size());
  for (const PlannedRow& row : rows) {
    stats.prompt_tokens +=
        std::clamp<std::int64_t>(row.sequence->prompt_size() - row.first, 0, row.count);
  }
}

const std::vector<GenerateResult>& Engine::Partials() const {
  return impl_->partials;
}

const EngineStats& Engine::stats() const {
  EngineStats& stats = impl_->stats;
  stats.cached_tokens = impl_->scheduler.cached_tokens();
  stats.preemptions = impl_->scheduler.preemptions();
  stats.running = impl_->scheduler.running();
  stats.waiting = impl_->scheduler.waiting() + impl_->gate.waiting();
  stats.kv_pages_used = impl_->blocks.in_use();
  return stats;
}

const EngineOptions& Engine::options() const {
  return impl_->options;
}

}  // namespace sglrun::engine
