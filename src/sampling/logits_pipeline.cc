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
    if (chosen[r] != 0) {
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

void LogitsPipeline::Start(const SamplingBatch& batch, tensor::TensorView logits,
                           const GrammarMask& mask, const DrawPlace& place,
                           kernels::KernelContext& context) {
  CHECK(logits.rank == 2 && logits.shape[0] == batch.rows())
      << logits.ToString() << " for " << batch.rows() << " rows";
  batch_ = &batch;
  kernels::DrawArgs args;
  args.head = place.head;
  args.picked = place.picked;
  args.key = place.key;
  args.kept_tokens = place.kept_tokens;
  args.process.logits = logits;
  AddProcess(batch, mask, args);
  AddSample(batch, args);
  AddLogprobs(batch, args);
  AddKeptRows(batch, args);
  backend_->table.draw(backend_->table, args, context);
}

const SampledTokens& LogitsPipeline::Finish(kernels::KernelContext& context) {
  backend_->table.finish_draw(context);
  KeptSets();
  return out_;
}

// Runs for every batch, because it detects NaN and rows without an allowed token.
void LogitsPipeline::AddProcess(const SamplingBatch& batch, const GrammarMask& mask,
                                kernels::DrawArgs& args) {
  out_.status.assign(static_cast<std::size_t>(batch.rows()), RowStatus::kOk);
  kernels::LogitsProcessArgs& process = args.process;
  if (batch.any_penalty) {
    process.count_begin = batch.count_begin;
    process.count_ids = batch.count_ids;
    process.counts = batch.counts;
    process.frequency_penalty = batch.frequency_penalty;
    process.presence_penalty = batch.presence_penalty;
    process.repetition_penalty = batch.repetition_penalty;
  }
  if (batch.any_banned) {
    process.ban_begin = batch.ban_begin;
    process.ban_ids = batch.ban_ids;
  }
  if (batch.any_grammar) {
    process.mask = mask.words;
    process.mask_stride = mask.words_per_line;
    process.mask_line = batch.grammar_line;
  }
  if (batch.any_bias) {
    process.bias_begin = batch.bias_begin;
    process.bias_ids = batch.bias_ids;
    process.bias_values = batch.bias_values;
  }
  process.status = out_.status;
}

void LogitsPipeline::AddSample(const SamplingBatch& batch, kernels::DrawArgs& args) {
  const auto rows = static_cast<std::size_t>(batch.rows());
  sampled_.assign(rows, 0);
  for (std::size_t r = 0; r < rows; ++r) sampled_[r] = batch.action[r] == RowAction::kSample;
  out_.tokens.resize(rows);
  args.sample.temperature = batch.temperature;
  args.sample.top_k = batch.top_k;
  args.sample.top_p = batch.top_p;
  args.sample.min_p = batch.min_p;
  args.sample.random = batch.random;
  args.sample.sampleable = sampleable_;
  args.sampled = sampled_;
  args.tokens = out_.tokens;
}

void LogitsPipeline::AddLogprobs(const SamplingBatch& batch, kernels::DrawArgs& args) {
  out_.ask_begin.clear();
  out_.top_begin.clear();
  if (!batch.any_logprob) return;
  const auto rows = static_cast<std::size_t>(batch.rows());
  out_.chosen.assign(rows, 0);
  out_.ask_begin.assign(1, 0);
  out_.ask_ids.clear();
  told_.assign(rows, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    out_.chosen[r] = batch.chosen_logprob[r] != 0 && batch.action[r] == RowAction::kSample;
    if (out_.chosen[r] != 0) out_.ask_ids.push_back(0);  // its token, once it is drawn
    out_.ask_ids.insert(out_.ask_ids.end(), batch.asked_ids.begin() + batch.asked_begin[r],
                        batch.asked_ids.begin() + batch.asked_begin[r + 1]);
    out_.ask_begin.push_back(static_cast<std::int32_t>(out_.ask_ids.size()));
    told_[r] =
        out_.ask_begin[r] != out_.ask_begin[r + 1] || batch.top_begin[r] != batch.top_begin[r + 1];
  }
  out_.ask_logprobs.resize(out_.ask_ids.size());
  out_.top_begin = batch.top_begin;
  out_.top_ids.resize(static_cast<std::size_t>(out_.top_begin.back()));
  out_.top_logprobs.resize(out_.top_ids.size());
  args.logprobs.temperature = batch.logprob_temperature;
  args.logprobs.ask_begin = out_.ask_begin;
  args.logprobs.ask_logprobs = out_.ask_logprobs;
  args.logprobs.top_begin = out_.top_begin;
  args.logprobs.top_ids = out_.top_ids;
  args.logprobs.top_logprobs = out_.top_logprobs;
  args.told = told_;
  args.chosen = out_.chosen;
  args.ask_ids = out_.ask_ids;
}

void LogitsPipeline::AddKeptRows(const SamplingBatch& batch, kernels::DrawArgs& args) {
  kept_rows_.clear();
  for (std::size_t r = 0; r < batch.kept_set.size(); ++r) {
    if (batch.kept_set[r] != 0) kept_rows_.push_back(static_cast<std::int32_t>(r));
  }
  kept_logits_.resize(kept_rows_.size() * static_cast<std::size_t>(args.process.logits.shape[1]));
  args.kept_rows = kept_rows_;
  args.kept_logits = kept_logits_;
}

void LogitsPipeline::KeptSets() {
  const SamplingBatch& batch = *batch_;
  out_.kept.clear();
  if (kept_rows_.empty()) return;
  out_.kept.resize(static_cast<std::size_t>(batch.rows()));
  const std::size_t width = kept_logits_.size() / kept_rows_.size();
  for (std::size_t i = 0; i < kept_rows_.size(); ++i) {
    const auto r = static_cast<std::size_t>(kept_rows_[i]);
    if (out_.tokens[r] < 0) continue;
    out_.kept[r] =
        kernels::KeptSet(std::span(kept_logits_).subspan(i * width, width), batch.temperature[r],
                         batch.top_k[r], batch.top_p[r], batch.min_p[r], sampleable_);
  }
}

}  // namespace sglrun::sampling
