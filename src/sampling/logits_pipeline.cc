#include "sampling/logits_pipeline.h"

#include "base/check.h"

namespace sglrun::sampling {

using kernels::RowStatus;

RowLogprobs SampledTokens::Logprobs(std::int64_t row) const {
  RowLogprobs result;
  const auto r = static_cast<std::size_t>(row);
  if (!ask_begin.empty()) {
    const auto first = static_cast<std::size_t>(ask_begin[r]);
    const auto count = static_cast<std::size_t>(ask_begin[r + 1]) - first;
    result.asked = std::span(ask_logprobs).subspan(first, count);
    if (has_chosen[r] != 0) {
      result.chosen = result.asked.front();
      result.asked = result.asked.subspan(1);
    }
  }
  if (!top_begin.empty()) {
    const auto first = static_cast<std::size_t>(top_begin[r]);
    const auto count = static_cast<std::size_t>(top_begin[r + 1]) - first;
    result.top_ids = std::span(top_ids).subspan(first, count);
    result.top = std::span(top_logprobs).subspan(first, count);
  }
  return result;
}

const SampledTokens& LogitsPipeline::Run(const SamplingBatch& batch, tensor::TensorView logits,
                                         const GrammarMask& mask, kernels::KernelContext& context) {
  CHECK(logits.rank == 2 && logits.shape[0] == batch.rows())
      << logits.ToString() << " for " << batch.rows() << " rows";
  Process(batch, logits, mask, context);
  Sample(batch, logits, context);
  Logprobs(batch, logits, context);
  KeptSets(batch, logits, context);
  return out_;
}

// Runs for every batch: this is where NaN and rows without a token are found.
void LogitsPipeline::Process(const SamplingBatch& batch, tensor::TensorView logits,
                             const GrammarMask& mask, kernels::KernelContext& context) {
  out_.status.assign(static_cast<std::size_t>(batch.rows()), RowStatus::kOk);
  kernels::LogitsProcessArgs args;
  args.logits = logits;
  if (batch.any_penalty) {
    args.count_begin = batch.count_begin;
    args.count_ids = batch.count_ids;
    args.counts = batch.counts;
    args.frequency_penalty = batch.frequency_penalty;
    args.presence_penalty = batch.presence_penalty;
    args.repetition_penalty = batch.repetition_penalty;
  }
  if (batch.any_banned) {
    args.ban_begin = batch.ban_begin;
    args.ban_ids = batch.ban_ids;
  }
  if (batch.any_grammar) {
    args.mask = mask.words;
    args.mask_stride = mask.words_per_line;
    args.mask_line = batch.grammar_line;
  }
  if (batch.any_bias) {
    args.bias_begin = batch.bias_begin;
    args.bias_ids = batch.bias_ids;
    args.bias_values = batch.bias_values;
  }
  args.status = out_.status;
  backend_->table.logits_process(args, context);
}

void LogitsPipeline::Sample(const SamplingBatch& batch, tensor::TensorView logits,
                            kernels::KernelContext& context) {
  const auto rows = static_cast<std::size_t>(batch.rows());
  active_.assign(rows, 0);
  bool any = false;
  for (std::size_t r = 0; r < rows; ++r) {
    active_[r] = batch.action[r] == RowAction::kSample && out_.status[r] == RowStatus::kOk;
    any |= active_[r] != 0;
  }
  out_.tokens.assign(rows, -1);
  if (!any) return;
  kernels::SampleArgs args;
  args.logits = logits;
  args.temperature = batch.temperature;
  args.top_k = batch.top_k;
  args.top_p = batch.top_p;
  args.min_p = batch.min_p;
  args.random = batch.random;
  args.sampleable = sampleable_;
  args.active = active_;
  args.tokens = out_.tokens;
  backend_->table.sample(args, context);
  for (std::size_t r = 0; r < rows; ++r) {
    // Only padding columns were left.
    if (active_[r] != 0 && out_.tokens[r] < 0) out_.status[r] = RowStatus::kNoneLeft;
  }
}

void LogitsPipeline::Logprobs(const SamplingBatch& batch, tensor::TensorView logits,
                              kernels::KernelContext& context) {
  out_.ask_begin.clear();
  out_.top_begin.clear();
  if (!batch.any_logprob) return;
  const auto rows = static_cast<std::size_t>(batch.rows());
  out_.has_chosen.assign(rows, 0);
  out_.ask_begin.assign(1, 0);
  out_.ask_ids.clear();
  active_.assign(rows, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    if (batch.chosen_logprob[r] != 0 && out_.tokens[r] >= 0) {
      out_.has_chosen[r] = 1;
      out_.ask_ids.push_back(out_.tokens[r]);
    }
    out_.ask_ids.insert(out_.ask_ids.end(), batch.asked_ids.begin() + batch.asked_begin[r],
                        batch.asked_ids.begin() + batch.asked_begin[r + 1]);
    out_.ask_begin.push_back(static_cast<std::int32_t>(out_.ask_ids.size()));
    const bool wanted =
        out_.ask_begin[r] != out_.ask_begin[r + 1] || batch.top_begin[r] != batch.top_begin[r + 1];
    active_[r] = wanted && out_.status[r] == RowStatus::kOk;
  }
  out_.ask_logprobs.resize(out_.ask_ids.size());
  out_.top_begin = batch.top_begin;
  out_.top_ids.resize(static_cast<std::size_t>(out_.top_begin.back()));
  out_.top_logprobs.resize(out_.top_ids.size());

  kernels::LogprobsArgs args;
  args.logits = logits;
  args.temperature = batch.logprob_temperature;
  args.active = active_;
  args.ask_begin = out_.ask_begin;
  args.ask_ids = out_.ask_ids;
  args.ask_logprobs = out_.ask_logprobs;
  args.top_begin = out_.top_begin;
  args.top_ids = out_.top_ids;
  args.top_logprobs = out_.top_logprobs;
  backend_->table.logprobs(args, context);
}

void LogitsPipeline::KeptSets(const SamplingBatch& batch, tensor::TensorView logits,
                              kernels::KernelContext& context) {
  out_.kept.clear();
  if (!batch.any_kept_set) return;
  out_.kept.resize(static_cast<std::size_t>(batch.rows()));
  for (std::int64_t row = 0; row < batch.rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    if (batch.kept_set[r] == 0 || out_.tokens[r] < 0) continue;
    row_.resize(static_cast<std::size_t>(logits.shape[1]));
    backend_->table.download(row_.data(), logits.row(row), row_.size() * sizeof(float), context);
    out_.kept[r] = kernels::KeptSet(row_, batch.temperature[r], batch.top_k[r], batch.top_p[r],
                                    batch.min_p[r], sampleable_);
  }
}

}  // namespace sglrun::sampling
