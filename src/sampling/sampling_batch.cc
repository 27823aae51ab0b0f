#include "sampling/sampling_batch.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace sglrun::sampling {

namespace {

// Smaller values would choose the same tokens: with this value the logit of a generated token is
// already far beyond all others. A logit divided by this value and by the lowest temperature is
// still a finite float32.
constexpr float kLeastRepetitionPenalty = 1e-20f;

void Restart(std::vector<std::int32_t>& begin) {
  begin.assign(1, 0);
}

void Append(std::span<const std::int32_t> from, std::vector<std::int32_t>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

std::int32_t End(const std::vector<std::int32_t>& list) {
  return static_cast<std::int32_t>(list.size());
}

}  // namespace

bool HasPenalty(const SamplingParams& params) {
  return params.frequency_penalty != 0.0 || params.presence_penalty != 0.0 ||
         params.repetition_penalty != 1.0;
}

float TemperatureOf(const SamplingParams& params) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::min(params.temperature, kLargest));
}

void SamplingBatch::Clear() {
  for (auto* list : {&top_k, &count_ids, &counts, &ban_ids, &grammar_line, &bias_ids, &asked_ids}) {
    list->clear();
  }
  for (auto* list : {&temperature, &frequency_penalty, &presence_penalty, &repetition_penalty,
                     &bias_values, &logprob_temperature}) {
    list->clear();
  }
  for (auto* list : {&count_begin, &ban_begin, &bias_begin, &top_begin, &asked_begin}) {
    Restart(*list);
  }
  action.clear();
  random.clear();
  top_p.clear();
  min_p.clear();
  chosen_logprob.clear();
  kept_set.clear();
  any_penalty = any_banned = any_grammar = any_bias = any_logprob = false;
}

void SamplingBatch::Add(const RowOptions& row) {
  CHECK(row.params != nullptr && !count_begin.empty()) << "Clear() comes first";
  const SamplingParams& params = *row.params;
  action.push_back(row.action);
  random.push_back(row.random);
  temperature.push_back(TemperatureOf(params));
  top_k.push_back(static_cast<std::int32_t>(
      std::clamp<std::int64_t>(params.top_k, 1, std::numeric_limits<std::int32_t>::max())));
  top_p.push_back(params.top_p);
  min_p.push_back(params.min_p);

  frequency_penalty.push_back(static_cast<float>(params.frequency_penalty));
  presence_penalty.push_back(static_cast<float>(params.presence_penalty));
  repetition_penalty.push_back(
      std::max(static_cast<float>(params.repetition_penalty), kLeastRepetitionPenalty));
  if (HasPenalty(params) && !row.count_ids.empty()) {
    any_penalty = true;
    Append(row.count_ids, count_ids);
    Append(row.counts, counts);
  }
  count_begin.push_back(End(count_ids));

  Append(row.banned, ban_ids);
  ban_begin.push_back(End(ban_ids));
  any_banned |= !row.banned.empty();

  grammar_line.push_back(row.grammar_line);
  any_grammar |= row.grammar_line >= 0;

  for (const auto& [id, bias] : row.bias) {
    bias_ids.push_back(id);
    bias_values.push_back(bias);
  }
  bias_begin.push_back(End(bias_ids));
  any_bias |= !row.bias.empty();

  chosen_logprob.push_back(row.chosen_logprob ? 1 : 0);
  logprob_temperature.push_back(row.logprob_temperature);
  top_begin.push_back(top_begin.back() + row.top_logprobs);
  Append(row.asked_ids, asked_ids);
  asked_begin.push_back(End(asked_ids));
  any_logprob |= row.chosen_logprob || row.top_logprobs > 0 || !row.asked_ids.empty();

  kept_set.push_back(row.kept_set ? 1 : 0);
}

void SamplingBatch::AddFiller() {
  static const SamplingParams params;
  RowOptions row;
  row.params = &params;
  row.action = RowAction::kScore;
  Add(row);
}

}  // namespace sglrun::sampling
