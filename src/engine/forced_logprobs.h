// Logprobs of tokens that a constraint forced (grammar.md 5.8): they were taken without a draw, and
// the step that feeds them tells of each what its own row would have told. As with prompts, the
// rows are worked through a few dozen at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "engine/logprob_recorder.h"
#include "engine/prompt_logprobs.h"
#include "engine/row_buffer.h"
#include "engine/sequence.h"
#include "kernels/backend.h"
#include "model/model.h"
#include "sampling/logits_pipeline.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

class ForcedLogprobs {
 public:
  // `logits` holds kPromptLogprobRows rows.
  ForcedLogprobs(model::Model& model, const LogprobRecorder& recorder, RowBuffer& logits,
                 LogprobsMode mode)
      : model_(&model),
        recorder_(&recorder),
        logits_(&logits),
        mode_(mode),
        hidden_(model.backend(), kPromptLogprobRows, model.config().hidden_size),
        pipeline_(model.backend(), {}) {
    batch_.Clear();
  }

  bool ok() const { return hidden_.ok(); }

  // Row `row` of `hidden` is the state of `position`, behind which the sequence's next forced token
  // stands. Results are complete after Flush, for which `hidden` must live.
  void Add(Sequence& sequence, std::int64_t position, tensor::TensorView hidden, std::int64_t row,
           kernels::KernelContext& context);
  void Flush(kernels::KernelContext& context);

 private:
  struct Row {
    Sequence* sequence;
    std::int32_t token;
  };
  void Record(const Row& row, const sampling::RowLogprobs& logprobs);

  model::Model* model_;
  const LogprobRecorder* recorder_;
  RowBuffer* logits_;
  LogprobsMode mode_;
  RowBuffer hidden_;
  tensor::TensorView states_;  // where the rows lie
  std::vector<std::int32_t> state_rows_;
  sampling::LogitsPipeline pipeline_;
  sampling::SamplingBatch batch_;
  std::vector<std::uint32_t> masks_;
  std::vector<Row> rows_;
};

}  // namespace sglrun::engine
