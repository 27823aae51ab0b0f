// From logits to tokens: logits_process, then sample, then logprobs, for all rows in one draw. A
// stage that no row of the step needs is not run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "sampling/sampling_batch.h"
#include "tensor/tensor_view.h"

namespace sglrun::sampling {

// Bit t % 32 of word t / 32 of a line: token t is allowed. Each row has the index of its line.
struct GrammarMask {
  std::span<const std::uint32_t> words;
  std::int64_t words_per_line = 0;
};

// The source of the logits of a batch and the destination of its tokens, see kernels/draw.h.
struct DrawPlace {
  const kernels::HeadWork* head = nullptr;  // null: the logits are there
  std::span<const std::int32_t> picked;
  std::span<const std::uint64_t> key;
  std::int32_t* kept_tokens = nullptr;
};

struct RowLogprobs {
  std::optional<float> chosen;
  std::span<const float> asked;  // in the order of asked_ids
  std::span<const std::int32_t> top_ids;
  std::span<const float> top;
};

struct SampledTokens {
  std::vector<std::int32_t> tokens;        // [R], -1: nothing was sampled
  std::vector<kernels::RowStatus> status;  // [R], kOk for every row that was sampled or scored
  std::vector<std::vector<kernels::KeptToken>> kept;  // [R] if any row requested it, else empty

  RowLogprobs Logprobs(std::int64_t row) const;

  // Flat lists used by Logprobs(): for each row the drawn token, if its logprob is requested, then
  // asked_ids.
  std::vector<std::uint8_t> chosen;
  std::vector<std::int32_t> ask_begin, ask_ids;
  std::vector<float> ask_logprobs;
  std::vector<std::int32_t> top_begin, top_ids;
  std::vector<float> top_logprobs;
};

class LogitsPipeline {
 public:
  // `sampleable`: bit t is set when token t exists and may be picked; empty: all may.
  LogitsPipeline(const kernels::Backend& backend, std::vector<std::uint32_t> sampleable)
      : backend_(&backend), sampleable_(std::move(sampleable)) {}

  // logits f32 [R, V], changed in place. The result is valid until the next call.
  const SampledTokens& Run(const SamplingBatch& batch, tensor::TensorView logits,
                           const GrammarMask& mask, kernels::KernelContext& context) {
    Start(batch, logits, mask, {}, context);
    return Finish(context);
  }

  // The same in two: on a device, work may be enqueued between them. `batch` and the words of the
  // mask must live until Finish.
  void Start(const SamplingBatch& batch, tensor::TensorView logits, const GrammarMask& mask,
             const DrawPlace& place, kernels::KernelContext& context);
  const SampledTokens& Finish(kernels::KernelContext& context);

 private:
  void AddProcess(const SamplingBatch& batch, const GrammarMask& mask, kernels::DrawArgs& args);
  void AddSample(const SamplingBatch& batch, kernels::DrawArgs& args);
  void AddLogprobs(const SamplingBatch& batch, kernels::DrawArgs& args);
  void AddKeptRows(const SamplingBatch& batch, kernels::DrawArgs& args);
  void KeptSets();

  const kernels::Backend* backend_;
  std::vector<std::uint32_t> sampleable_;
  const SamplingBatch* batch_ = nullptr;  // of Start
  SampledTokens out_;
  std::vector<std::uint8_t> sampled_, told_;
  std::vector<std::int32_t> kept_rows_;
  std::vector<float> kept_logits_;
};

}  // namespace sglrun::sampling
