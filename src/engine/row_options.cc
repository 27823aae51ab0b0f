#include "engine/row_options.h"

#include "kernels/common/random.h"

namespace sglrun::engine {

sampling::RowOptions OptionsOf(const Sequence& sequence, const TokenLimits& limits,
                               LogprobsMode mode) {
  const GenerateRequest& request = sequence.request();
  const SamplingParams& params = sequence.params();
  const bool scoring = sequence.limits().max_new_tokens == 0;
  sampling::RowOptions row;
  row.params = &params;
  row.action = scoring ? sampling::RowAction::kScore : sampling::RowAction::kSample;
  row.random = kernels::RandomBits(request.seed, request.sample_index,
                                   static_cast<std::uint32_t>(sequence.size()));
  row.count_ids = sequence.counts().ids();
  row.counts = sequence.counts().counts();
  row.banned = limits.banned;
  row.bias = limits.bias;
  row.kept_set = request.return_sampling_mask;
  if (request.return_logprob) {
    row.chosen_logprob = !scoring;
    row.top_logprobs = sequence.limits().top_logprobs;
    row.asked_ids = sequence.asked_ids();
    // The temperature does not apply to greedy rows and rows that are only scored.
    const bool scaled = mode == LogprobsMode::kSampled && !params.greedy() && !scoring;
    row.logprob_temperature = scaled ? sampling::TemperatureOf(params) : 1.0f;
  }
  return row;
}

sampling::RowOptions OptionsOf(const Sequence& sequence, const ForcedToken& forced,
                               std::span<const std::int32_t> ids, LogprobsMode mode) {
  TokenLimits limits;
  limits.banned = forced.banned;
  limits.bias = sequence.params().logit_bias;
  sampling::RowOptions row = OptionsOf(sequence, limits, mode);
  row.action = sampling::RowAction::kScore;
  row.count_ids = forced.count_ids;
  row.counts = forced.counts;
  row.chosen_logprob = false;
  row.asked_ids = ids;
  return row;
}

}  // namespace sglrun::engine
