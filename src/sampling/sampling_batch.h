// The rows of one step as flat arrays with one entry per row, which every stage of the logits
// pipeline reads. Each row has its own parameters, so no parameter splits a batch.
//
//   batch.Clear();
//   for (...) batch.Add({.params = &params, .random = bits});
//   pipeline.Run(batch, logits, {}, context);
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "request/sampling_params.h"

namespace sglrun::sampling {

enum class RowAction : std::uint8_t {
  kSample,  // pick a token
  kScore,   // report the distribution only (max_new_tokens 0)
};

// The options of one row. Spans must live until the pipeline has run.
struct RowOptions {
  const SamplingParams* params = nullptr;
  RowAction action = RowAction::kSample;
  std::uint64_t random = 0;  // bits of this draw (kernels/common/random.h)

  // The distinct tokens generated so far and their counts; read only if a penalty is set.
  std::span<const std::int32_t> count_ids, counts;
  std::span<const std::int32_t> banned;                  // tokens that may not be drawn
  std::span<const std::pair<std::int32_t, float>> bias;  // added to the logits of these tokens
  std::int32_t grammar_line = -1;                        // line of the grammar mask, -1: no grammar

  bool chosen_logprob = false;
  float logprob_temperature = 1.0f;  // of the reported distribution
  std::int32_t top_logprobs = 0;
  std::span<const std::int32_t> asked_ids;
  bool kept_set = false;  // return_sampling_mask
};

bool HasPenalty(const SamplingParams& params);
// In the precision of the kernels; finite for any temperature.
float TemperatureOf(const SamplingParams& params);

struct SamplingBatch {
  void Clear();
  void Add(const RowOptions& row);
  // A row that only pads the batch: it draws and reports nothing.
  void AddFiller();

  std::int64_t rows() const { return static_cast<std::int64_t>(action.size()); }

  std::vector<RowAction> action;
  std::vector<std::uint64_t> random;
  std::vector<float> temperature;
  std::vector<std::int32_t> top_k;
  std::vector<double> top_p, min_p;

  // Lists of row r are [begin[r], begin[r + 1]). A stage that no row needs has its flag unset.
  bool any_penalty = false;
  std::vector<float> frequency_penalty, presence_penalty, repetition_penalty;
  std::vector<std::int32_t> count_begin, count_ids, counts;
  bool any_banned = false;
  std::vector<std::int32_t> ban_begin, ban_ids;
  bool any_grammar = false;
  std::vector<std::int32_t> grammar_line;
  bool any_bias = false;
  std::vector<std::int32_t> bias_begin, bias_ids;
  std::vector<float> bias_values;

  bool any_logprob = false;
  std::vector<std::uint8_t> chosen_logprob;
  std::vector<float> logprob_temperature;
  std::vector<std::int32_t> top_begin;
  std::vector<std::int32_t> asked_begin, asked_ids;
  std::vector<std::uint8_t> kept_set;
};

}  // namespace sglrun::sampling
