// Logits of some rows of a step's hidden states, a few dozen at a time, so that a long prompt needs
// no more memory for logits than a step of decoding.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/row_buffer.h"
#include "kernels/backend.h"
#include "model/model.h"

namespace sglrun::engine {

class LateLogits {
 public:
  static constexpr std::int64_t kRows = 32;

  // `logits` holds kRows rows.
  LateLogits(model::Model& model, RowBuffer& logits)
      : model_(&model),
        logits_(&logits),
        hidden_(model.backend(), kRows, model.spec().hidden_size) {}

  bool ok() const { return hidden_.ok(); }
  const kernels::Backend& backend() const { return model_->backend(); }
  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  bool is_full() const { return count() == kRows; }

  // Row `row` of `hidden`, which must live until Compute and be the same for all rows until then.
  void Add(tensor::TensorView hidden, std::int64_t row, std::int32_t adapter) {
    states_ = hidden;
    adapters_.push_back(adapter);
    rows_.push_back(static_cast<std::int32_t>(row));
  }
  // Of the rows added since the last call, in that order.
  tensor::TensorView Compute(kernels::KernelContext& context) {
    const tensor::TensorView logits = logits_->Rows(count());
    model_->Logits(hidden_.Gather(states_, rows_, model_->backend(), context), adapters_, logits);
    rows_.clear();
    adapters_.clear();
    return logits;
  }

 private:
  model::Model* model_;
  RowBuffer* logits_;
  RowBuffer hidden_;
  tensor::TensorView states_;  // where the rows lie
  std::vector<std::int32_t> rows_, adapters_;
};

}  // namespace sglrun::engine
