// Logprobs of prompt tokens: log_softmax of the raw logits of the position before, without
// temperature, penalties or bias.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/late_logits.h"
#include "engine/logprob_recorder.h"
#include "engine/sequence.h"

namespace sglrun::engine {

class PromptLogprobs {
 public:
  // `logits` holds LateLogits::kRows rows.
  PromptLogprobs(model::Model& model, const LogprobRecorder& recorder, RowBuffer& logits)
      : logits_(model, logits), recorder_(&recorder) {}

  bool ok() const { return logits_.ok(); }

  // Row `row` of `hidden` is the state of `position`. Results are complete after Flush, for which
  // `hidden` must live.
  void Add(Sequence& sequence, std::int64_t position, tensor::TensorView hidden, std::int64_t row,
           kernels::KernelContext& context);
  void Flush(kernels::KernelContext& context);

 private:
  struct Row {
    Sequence* sequence;
    std::int64_t position;
  };
  void Record(const Row& row, const sampling::RowLogprobs& logprobs);

  LateLogits logits_;
  const LogprobRecorder* recorder_;
  std::vector<Row> rows_;
  std::vector<float> temperature_, ask_logprobs_, top_logprobs_;
  std::vector<std::int32_t> ask_begin_, ask_ids_, top_begin_, top_ids_;
};

}  // namespace sglrun::engine
