#include "engine/prompt_logprobs.h"

#include <cmath>
#include <span>
#include <string>

namespace sglrun::engine {

void PromptLogprobs::Add(Sequence& sequence, std::int64_t position, tensor::TensorView hidden,
                         std::int64_t row, kernels::KernelContext& context) {
  logits_.Add(hidden, row, sequence.request().adapter);
  rows_.push_back({&sequence, position});
  if (logits_.is_full()) Flush(context);
}

void PromptLogprobs::Flush(kernels::KernelContext& context) {
  if (rows_.empty()) return;
  const tensor::TensorView logits = logits_.Compute(context);
  ask_begin_.assign(1, 0);
  top_begin_.assign(1, 0);
  ask_ids_.clear();
  for (const Row& row : rows_) {
    ask_ids_.push_back(row.sequence->tokens()[static_cast<std::size_t>(row.position) + 1]);
    const auto asked = row.sequence->asked_ids();
    ask_ids_.insert(ask_ids_.end(), asked.begin(), asked.end());
    ask_begin_.push_back(static_cast<std::int32_t>(ask_ids_.size()));
    top_begin_.push_back(top_begin_.back() + row.sequence->limits().top_logprobs);
  }
  temperature_.assign(rows_.size(), 1.0f);
  ask_logprobs_.resize(ask_ids_.size());
  top_ids_.resize(static_cast<std::size_t>(top_begin_.back()));
  top_logprobs_.resize(top_ids_.size());
  kernels::LogprobsArgs args;
  args.logits = logits;
  args.temperature = temperature_;
  args.ask_begin = ask_begin_;
  args.ask_ids = ask_ids_;
  args.ask_logprobs = ask_logprobs_;
  args.top_begin = top_begin_;
  args.top_ids = top_ids_;
  args.top_logprobs = top_logprobs_;
  logits_.backend().table.logprobs(args, context);

  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto asked = static_cast<std::size_t>(ask_begin_[r]);
    const auto asked_end = static_cast<std::size_t>(ask_begin_[r + 1]);
    const auto top = static_cast<std::size_t>(top_begin_[r]);
    const auto top_count = static_cast<std::size_t>(top_begin_[r + 1]) - top;
    Record(rows_[r], {.chosen = ask_logprobs_[asked],
                      .asked = std::span(ask_logprobs_).subspan(asked + 1, asked_end - asked - 1),
                      .top_ids = std::span(top_ids_).subspan(top, top_count),
                      .top = std::span(top_logprobs_).subspan(top, top_count)});
  }
  rows_.clear();
}

void PromptLogprobs::Record(const Row& row, const sampling::RowLogprobs& logprobs) {
  if (std::isnan(*logprobs.chosen) && !row.sequence->failure) {
    row.sequence->failure = AbortedRecord("the model's logits of prompt token " +
                                          std::to_string(row.position) + " are not numbers (NaN)");
  }
  recorder_->AddPromptRow(*row.sequence, row.position, logprobs);
}

}  // namespace sglrun::engine
