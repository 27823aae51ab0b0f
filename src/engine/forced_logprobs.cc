#include "engine/forced_logprobs.h"

#include <cmath>
#include <string>

#include "base/check.h"
#include "engine/row_options.h"

namespace sglrun::engine {

void ForcedLogprobs::Add(Sequence& sequence, std::int64_t position, tensor::TensorView hidden,
                         std::int64_t row, kernels::KernelContext& context) {
  const ForcedToken* forced = sequence.gathering.ForcedAfter(position);
  CHECK(forced != nullptr) << "no forced token after " << position;
  logits_.Add(hidden, row, sequence.request().adapter);
  const std::int32_t token = sequence.tokens()[static_cast<std::size_t>(position) + 1];
  rows_.push_back({&sequence, token});
  std::vector<std::int32_t> ids = {token};
  ids.insert(ids.end(), sequence.asked_ids().begin(), sequence.asked_ids().end());
  sampling::RowOptions asked = OptionsOf(sequence, *forced, ids, mode_);
  asked.grammar_line = static_cast<std::int32_t>(rows_.size()) - 1;
  masks_.insert(masks_.end(), forced->mask.begin(), forced->mask.end());
  batch_.Add(asked);  // copies the lists
  sequence.gathering.ForcedTokenRecorded();
  if (logits_.is_full()) Flush(context);
}

void ForcedLogprobs::Flush(kernels::KernelContext& context) {
  if (rows_.empty()) return;
  const std::int64_t count = logits_.count();
  const tensor::TensorView logits = logits_.Compute(context);
  const auto words = static_cast<std::int64_t>(masks_.size()) / count;
  const sampling::SampledTokens& out =
      pipeline_.Run(batch_, logits, {.words = masks_, .words_per_line = words}, context);
  for (std::int64_t r = 0; r < count; ++r) {
    Record(rows_[static_cast<std::size_t>(r)], out.Logprobs(r));
  }
  rows_.clear();
  masks_.clear();
  batch_.Clear();
}

void ForcedLogprobs::Record(const Row& row, const sampling::RowLogprobs& logprobs) {
  Sequence& sequence = *row.sequence;
  const float chosen = logprobs.asked.front();
  if (std::isnan(chosen) && !sequence.failure) {
    sequence.failure = AbortedRecord("the model's logits for a token that " +
                                     std::string("the constraint forces are not numbers (NaN)"));
  }
  recorder_->AddOutputRow(sequence, row.token,
                          {.chosen = chosen,
                           .asked = logprobs.asked.subspan(1),
                           .top_ids = logprobs.top_ids,
                           .top = logprobs.top});
}

}  // namespace sglrun::engine
