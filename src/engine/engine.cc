#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/engine_impl.h"
#include "engine/memory_plan.h"
#include "model/weights/available_memory.h"

namespace sglrun::engine {

namespace {

// On a device.
StepSizes SizesOf(const EngineOptions& options) {
  return {.tokens = MostStepTokens(options.max_batch_tokens, options.max_rows),
          .rows = options.max_rows,
          .context_length = options.context_length};
}

// Allocates the buffers of every forward pass on a device now, because its memory may be used up
// later. The arrays of draws and graphs are allocated at first use (base/shortage.h).
Status ReserveSteps(const EngineOptions& options, std::int64_t pages, model::Model& model) {
  kernels::Device* device = model.backend().device;
  if (device == nullptr) return {};
  StepSizes sizes = SizesOf(options);
  sizes.context_length = std::min(sizes.context_length, pages * kernels::kPageSize);
  const std::int64_t scratch = StepScratchBytes(sizes, model.spec());
  const std::int64_t arrays = StepArrayBytes(sizes);
  if (model.ReservePositions(sizes.context_length) && device->Reserve(scratch, arrays)) return {};
  return Error{"a step works in " + FormatByteSize(scratch + 2 * arrays) + ", " +
                   FormatByteSize(device->FreeMemory()) + " are free on the device",
               Shortage::kDeviceStep};
}

}  // namespace

Engine::Impl::Impl(model::Model& the_model, const tokenizer::Tokenizer& the_tokenizer,
                   const EngineOptions& effective, kernels::KernelContext& the_context,
                   model::KvCache kv, std::int64_t pages)
    : model(the_model),
      tokenizer(the_tokenizer),
      options(effective),
      context(the_context),
      recorder(the_tokenizer),
      stop_ids(StopIds(the_model.special_tokens(), the_tokenizer)),
      gate(effective.grammar, the_tokenizer, the_model.spec().vocab_size, stop_ids),
      cache(std::move(kv)),
      blocks(pages),
      scheduler({.max_rows = effective.max_rows, .max_batch_tokens = effective.max_batch_tokens},
                blocks),
      drawn(runs_ahead() ? tensor::Buffer(*the_model.backend().allocator,
                                          static_cast<std::size_t>(BucketOf(effective.max_rows)) *
                                              sizeof(std::int32_t))
                         : tensor::Buffer()),
      arrays(the_model.spec().hidden_size,
             cache.num_pages() > pages ? static_cast<PageId>(pages) : kNoPage,
             drawn.as<std::int32_t>()),
      hidden(the_model.backend(), MostStepTokens(effective.max_batch_tokens, effective.max_rows),
             the_model.spec().hidden_size),
      sampled_hidden(the_model.backend(), BucketOf(effective.max_rows),
                     the_model.spec().hidden_size),
      logits(the_model.backend(), std::max(BucketOf(effective.max_rows), LateLogits::kRows),
             the_model.spec().vocab_size),
      prompt_logprobs(the_model, recorder, logits),
      forced_logprobs(the_model, recorder, logits, effective.logprobs_mode),
      pipeline(the_model.backend(), SampleableBits(the_tokenizer, the_model.spec().vocab_size)) {}

bool Engine::Impl::ok() const {
  return hidden.ok() && sampled_hidden.ok() && logits.ok() && prompt_logprobs.ok() &&
         forced_logprobs.ok() && (!runs_ahead() || drawn.ok());
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Create(model::Model& model,
                                               const tokenizer::Tokenizer& tokenizer,
                                               const EngineOptions& options,
                                               kernels::KernelContext& context) {
  SGLRUN_ASSIGN_OR_RETURN(EngineOptions effective, EffectiveOptions(options, model.spec()));
  const bool on_device = model.backend().device != nullptr;
  const StepSizes sizes = SizesOf(effective);
  SGLRUN_RETURN_IF_ERROR(model.Reserve(on_device ? sizes.tokens : effective.max_batch_tokens));
  MemoryNeeds needs;
  needs.page_bytes = model::KvPageBytes(model.spec(), effective.kv_dtype, model.backend());
  needs.max_rows = effective.max_rows;
  needs.context_length = effective.context_length;
  needs.kv_memory_bytes = effective.kv_memory_bytes;
  needs.available_bytes = model::AvailableMemory(model.backend());
  if (on_device) {
    needs.share = kCacheShareOfDevice;
    *needs.available_bytes -= RowBufferBytes(WithinCache(sizes, needs), model.spec());
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t pages, PlanPages(needs));
  effective.kv_memory_bytes = pages * needs.page_bytes;
  // One more page for the filler rows of a device's steps (step_arrays.h).
  const std::int64_t spare = on_device ? 1 : 0;
  SGLRUN_ASSIGN_OR_RETURN(auto cache, model::KvCache::Create(model.spec(), effective.kv_dtype,
                                                             pages + spare, model.backend()));
  auto impl = std::make_unique<Impl>(model, tokenizer, effective, context, std::move(cache), pages);
  if (!impl->ok()) {
    return Error{"the rows of a step need " +
                     FormatByteSize(impl->hidden.bytes() + impl->logits.bytes()) + ", " +
                     FormatByteSize(model::AvailableMemory(model.backend()).value_or(0)) +
                     " are free",
                 Shortage::kActivations};
  }
  SGLRUN_RETURN_IF_ERROR(ReserveSteps(effective, pages, model));
  impl->stats.kv_pages = pages;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Result<PreparedPrompt, RecordError> Engine::Prepare(const GenerateRequest& request) const {
  const model::ModelSpec& spec = impl_->model.spec();
  const PromptLimits limits{.context_length = impl_->options.context_length,
                            .vocab_size = spec.vocab_size,
                            .hidden_size = spec.hidden_size,
                            .reasoning_end = impl_->options.reasoning_end};
  SGLRUN_ASSIGN_OR_RETURN(PreparedPrompt prompt, PreparePrompt(request, impl_->tokenizer, limits));
  SGLRUN_RETURN_IF_ERROR(CheckCacheRoom(prompt, impl_->blocks.num_pages()));
  if (prompt.begins_twice) ++impl_->begun_twice;
  return prompt;
}

Result<std::unique_ptr<Sequence>, RecordError> Engine::Admit(GenerateRequest request) const {
  const model::ModelSpec& spec = impl_->model.spec();
  SGLRUN_ASSIGN_OR_RETURN(PreparedPrompt prompt, Prepare(request));
  // Only the tokens are needed from here on.
  request.text = {};
  request.input_ids.reset();
  SGLRUN_ASSIGN_OR_RETURN(
      StopCriteria stop,
      StopCriteria::Create(*request.sampling, prompt.max_new_tokens, impl_->stop_ids,
                           impl_->tokenizer, prompt.token_ids, impl_->stop_regexes));
  const std::int64_t top =
      request.return_logprob ? std::min(request.top_logprobs_num, spec.vocab_size) : 0;
  auto sequence = std::make_unique<Sequence>(
      std::move(request), std::move(prompt.token_ids),
      Sequence::Limits{.max_new_tokens = prompt.max_new_tokens,
                       .min_new_tokens = prompt.min_new_tokens,
                       .top_logprobs = static_cast<std::int32_t>(std::max<std::int64_t>(top, 0)),
                       .vocab_size = spec.vocab_size,
                       .result_bytes = prompt.result_bytes},
      std::move(stop));
  impl_->recorder.Start(*sequence);
  if (sequence->params().constraint) {
    sequence->SetGrammar(impl_->gate.Want(*sequence, std::move(prompt.reasoning_end)));
  }
  return sequence;
}

std::int64_t Engine::begun_twice() const {
  return impl_->begun_twice;
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
  impl_->ahead = {};
  impl_->partials.clear();
}

std::int64_t Engine::InFlight() const {
  return impl_->scheduler.running() + impl_->scheduler.waiting() + impl_->gate.waiting();
}

std::int64_t Engine::ConstraintBytes() const {
  return impl_->gate.bytes();
}

std::int64_t Engine::WaitingTokens() const {
  return impl_->scheduler.waiting_tokens();
}

std::vector<GenerateResult> Engine::Step() {
  return impl_->Step();
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
