// logprobs: log_softmax(z / T) of chosen ids, and the n best tokens of a row.
//   logprob[t] = z[t] / T - log sum_u exp(z[u] / T), clamped below at the lowest finite float32.
// Sums over the whole width V, padding included, as the reference implementations do. The sum is
// taken in a fixed order (16 float32 lanes over ascending ids, then a fixed tree, then float64), so
// a row's values do not depend on the batch. The n best: logit descending, ties to the lower id.
// Error: 2e-6 + 2^-22 |logprob|.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct LogprobsArgs {
  tensor::TensorView logits;             // f32 [R, V]
  std::span<const float> temperature;    // [R], > 0
  std::span<const std::uint8_t> active;  // [R]: 0 = row is skipped; empty: all

  // Chosen ids: spans [ask_begin[r], ask_begin[r + 1]).
  std::span<const std::int32_t> ask_begin;  // [R + 1] or empty
  std::span<const std::int32_t> ask_ids;    // each in [0, V)
  std::span<float> ask_logprobs;            // written

  // Top n: spans [top_begin[r], top_begin[r + 1]), n = their length, at most V.
  std::span<const std::int32_t> top_begin;  // [R + 1] or empty
  std::span<std::int32_t> top_ids;          // written
  std::span<float> top_logprobs;            // written
};

std::string Check(const LogprobsArgs& args);

}  // namespace sglrun::kernels
