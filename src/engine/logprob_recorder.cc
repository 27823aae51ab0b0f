#include "engine/logprob_recorder.h"

#include <vector>

#include "base/check.h"

namespace sglrun::engine {

TokenLogprob LogprobRecorder::Entry(const Sequence& sequence, std::optional<float> logprob,
                                    std::int32_t token) const {
  TokenLogprob entry{.logprob = logprob, .token_id = token, .text = std::nullopt};
  if (sequence.request().token_bytes_in_logprobs) {
    entry.text = tokenizer_->TokenBytes(token);
  } else if (sequence.request().return_text_in_logprobs) {
    entry.text = tokenizer_->Decode(std::span(&token, 1), /*skip_special_tokens=*/false);
  }
  return entry;
}

PositionLogprobs LogprobRecorder::Top(const Sequence& sequence,
                                      const sampling::RowLogprobs& row) const {
  std::vector<TokenLogprob> list;
  list.reserve(row.top.size());
  for (std::size_t i = 0; i < row.top.size(); ++i) {
    list.push_back(Entry(sequence, row.top[i], row.top_ids[i]));
  }
  return list;
}

PositionLogprobs LogprobRecorder::Asked(const Sequence& sequence,
                                        const sampling::RowLogprobs& row) const {
  const std::span<const std::int32_t> ids = sequence.asked_ids();
  CHECK(ids.size() == row.asked.size());
  std::vector<TokenLogprob> list;
  list.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    list.push_back(Entry(sequence, row.asked[i], ids[i]));
  }
  return list;
}

void LogprobRecorder::Start(Sequence& sequence) const {
  const GenerateRequest& request = sequence.request();
  if (!request.return_logprob) return;
  LogprobResult& logprobs = sequence.gathering.result.logprobs.emplace();
  if (sequence.limits().top_logprobs > 0) {
    logprobs.input_top_logprobs.emplace();
    logprobs.output_top_logprobs.emplace();
  }
  if (!sequence.asked_ids().empty()) {
    logprobs.input_token_ids_logprobs.emplace();
    logprobs.output_token_ids_logprobs.emplace();
  }
  const std::int64_t first = request.logprob_start_len;
  if (first < 0 || first >= sequence.prompt_size()) return;
  logprobs.input_token_logprobs.push_back(
      Entry(sequence, std::nullopt, sequence.tokens()[static_cast<std::size_t>(first)]));
  if (logprobs.input_top_logprobs) logprobs.input_top_logprobs->emplace_back();
  if (logprobs.input_token_ids_logprobs) logprobs.input_token_ids_logprobs->emplace_back();
}

void LogprobRecorder::AddPromptRow(Sequence& sequence, std::int64_t position,
                                   const sampling::RowLogprobs& row) const {
  LogprobResult& logprobs = *sequence.gathering.result.logprobs;
  const std::int32_t next = sequence.tokens()[static_cast<std::size_t>(position) + 1];
  logprobs.input_token_logprobs.push_back(Entry(sequence, row.chosen, next));
  if (logprobs.input_top_logprobs) logprobs.input_top_logprobs->push_back(Top(sequence, row));
  if (logprobs.input_token_ids_logprobs) {
    logprobs.input_token_ids_logprobs->push_back(Asked(sequence, row));
  }
  sequence.gathering.PromptLogprobRecorded(position);
}

void LogprobRecorder::AddOutputRow(Sequence& sequence, std::int32_t token,
                                   const sampling::RowLogprobs& row) const {
  if (!sequence.gathering.result.logprobs) return;
  sequence.gathering.result.logprobs->output_token_logprobs.push_back(
      Entry(sequence, row.chosen, token));
  AddScoringRow(sequence, row);
}

void LogprobRecorder::AddScoringRow(Sequence& sequence, const sampling::RowLogprobs& row) const {
  if (!sequence.gathering.result.logprobs) return;
  LogprobResult& logprobs = *sequence.gathering.result.logprobs;
  if (logprobs.output_top_logprobs) logprobs.output_top_logprobs->push_back(Top(sequence, row));
  if (logprobs.output_token_ids_logprobs) {
    logprobs.output_token_ids_logprobs->push_back(Asked(sequence, row));
  }
}

void LogprobRecorder::AddKeptSet(Sequence& sequence, std::int32_t token,
                                 std::span<const kernels::KeptToken> kept) const {
  SamplingMaskResult& mask = *sequence.gathering.result.sampling_mask;
  std::vector<std::int32_t>& ids = mask.kept_ids.emplace_back();
  ids.reserve(kept.size());
  for (const kernels::KeptToken& entry : kept) {
    ids.push_back(entry.id);
    if (entry.id == token) mask.chosen_logprobs.push_back(entry.logprob);
  }
  CHECK(mask.chosen_logprobs.size() == mask.kept_ids.size()) << token << " was drawn but not kept";
}

}  // namespace sglrun::engine
