// sample: picks one token per row. Exact integer arithmetic after one float step, so that every
// backend gives the same token for the same logits.
//
// Greedy rows (top_k == 1): the highest logit, ties to the lowest id.
//
// Other rows:
//   1. weight w[t] = floor(2^31 * 2^x), x = (z[t] - max z) * (log2(e) / T) in float32, by
//      exp2_exact (kernels/common/exp2_exact.h); a 32-bit integer. Tokens 2^31 times less likely
//      than the best get weight 0 and are never drawn; rounding down moves at most V / 2^31 of the
//      mass.
//   2. Tokens are ranked by (weight descending, logit descending, id ascending): a high temperature
//      makes weights equal, not tokens. Kept: rank < top_k, and the sum of the weights before it
//      <= top_p * total + total / 2^20, and w >= floor(min_p * 2^31); all three
//      on the original weights ("joint"). The slack of a millionth is the resolution of float32
//      logits: a token whose preceding mass equals top_p is kept. The first token is always kept.
//   3. draw = floor(random * kept mass / 2^64); the token whose running sum, in id order over the
//      kept tokens, first exceeds it.
// Sums are 64-bit integers: exact, free of order. No sort: thresholds come from a radix descent.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct SampleArgs {
  tensor::TensorView logits;              // f32 [R, V], no NaN in rows that are sampled
  std::span<const float> temperature;     // [R], > 0 (ignored by greedy rows)
  std::span<const std::int32_t> top_k;    // [R], >= 1; >= V means all
  std::span<const double> top_p;          // [R], (0, 1]
  std::span<const double> min_p;          // [R], [0, 1]
  std::span<const std::uint64_t> random;  // [R], from kernels/common/random.h
  // Bit t: token t exists in the vocabulary and may be picked. Empty: all may. Logit columns
  // without a token (padding of the head) must be excluded here, not in the logits, which logprobs
  // still see.
  std::span<const std::uint32_t> sampleable;  // [ceil(V / 32)]
  std::span<const std::uint8_t> active;       // [R]: 0 = leave the row alone; empty: all
  std::span<std::int32_t> tokens;             // [R], written; -1 when no token can be picked
};

std::string Check(const SampleArgs& args);

// The kept set of one row in rank order with each token's log of its share of the kept mass, for
// return_sampling_mask. Plain code on the same weights; greedy rows keep one token with 0.0.
struct KeptToken {
  std::int32_t id = 0;
  float logprob = 0.0f;
};

}  // namespace sglrun::kernels
