// Logprobs of tokens that a constraint forced. They are appended without a draw; the step that
// feeds them reports the logprobs that a draw would have reported.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "engine/late_logits.h"
#include "engine/logprob_recorder.h"
#include "engine/sequence.h"
#include "sampling/logits_pipeline.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

class ForcedLogprobs {
 public:
  // `logits` holds LateLogits::kRows rows.
  ForcedLogprobs(model::Model& model, const LogprobRecorder& recorder, RowBuffer& logits,
                 LogprobsMode mode)
      : logits_(model, logits), recorder_(&recorder), mode_(mode), pipeline_(model.backend(), {}) {
    batch_.Clear();
  }

  bool ok() const { return logits_.ok(); }

  // Row `row` of `hidden` is the state of `position`, which the sequence's next forced token
  // follows. Results are complete after Flush, for which `hidden` must live.
  void Add(Sequence& sequence, std::int64_t position, tensor::TensorView hidden, std::int64_t row,
           kernels::KernelContext& context);
  void Flush(kernels::KernelContext& context);

 private:
  struct Row {
    Sequence* sequence;
    std::int32_t token;
  };
  void Record(const Row& row, const sampling::RowLogprobs& logprobs);

  LateLogits logits_;
  const LogprobRecorder* recorder_;
  LogprobsMode mode_;
  sampling::LogitsPipeline pipeline_;
  sampling::SamplingBatch batch_;
  std::vector<std::uint32_t> masks_;
  std::vector<Row> rows_;
};

}  // namespace sglrun::engine
