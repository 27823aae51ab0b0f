// Logprobs of prompt tokens: log_softmax of the raw logits of the position before, without
// temperature, penalties or bias. The rows of a step are worked through a few dozen at a time, so
// that a long prompt needs no more memory for logits than a step of decoding.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/logprob_recorder.h"
#include "engine/row_buffer.h"
#include "engine/sequence.h"
#include "kernels/backend.h"
#include "model/model.h"

namespace sglrun::engine {

inline constexpr std::int64_t kPromptLogprobRows = 32;

class PromptLogprobs {
 public:
  PromptLogprobs(model::Model& model, const LogprobRecorder& recorder, RowBuffer& logits)
      : model_(&model),
        recorder_(&recorder),
        logits_(&logits),
        hidden_(model.backend(), kPromptLogprobRows, model.config().hidden_size) {}

  bool ok() const { return hidden_.ok(); }

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

  model::Model* model_;
  const LogprobRecorder* recorder_;
  RowBuffer* logits_;
  RowBuffer hidden_;
  tensor::TensorView states_;  // where the rows lie
  std::vector<std::int32_t> state_rows_;
  std::vector<Row> rows_;
  std::vector<float> temperature_, ask_logprobs_, top_logprobs_;
  std::vector<std::int32_t> ask_begin_, ask_ids_, top_begin_, top_ids_;
};

}  // namespace sglrun::engine
