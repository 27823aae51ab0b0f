// logits_process: everything that changes a row of logits before a token is picked, in this order
// (each formula for one row; c[t] = how often t was generated so far, prompt not counted):
//   1  z[t] -= frequency_penalty * c[t]
//   2  z[t] -= presence_penalty                     where c[t] > 0
//   3  z[t]  = -inf                                 for t in the row's ban list (min_new_tokens)
//   4  z[t]  = z[t] < 0 ? z[t] * r : z[t] / r       where c[t] > 0, r = repetition_penalty
//   5  z[t]  = -inf                                 where the row's grammar bit is 0
//   6  z[t] += bias[t]                              (-inf stays -inf)
// If 3 and 5 together leave no finite entry, step 3 is undone for that row.
//
// In place on logits f32 [R, V]. Parameters are one entry a row; lists of a row are spans
// [begin[r], begin[r + 1]) of the flat arrays. Absent stages are empty spans. Ids lie in [0, V).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

enum class RowStatus : std::uint8_t {
  kOk,
  kNaN,       // the model's logits hold a NaN: the row must not be sampled
  kNoneLeft,  // no finite entry is left
};

struct LogitsProcessArgs {
  tensor::TensorView logits;  // f32 [R, V]

  // Steps 1, 2, 4: empty when no row has a penalty.
  std::span<const std::int32_t> count_begin;  // [R + 1]
  std::span<const std::int32_t> count_ids;    // distinct within a row
  std::span<const std::int32_t> counts;       // > 0
  std::span<const float> frequency_penalty;   // [R]
  std::span<const float> presence_penalty;    // [R]
  std::span<const float> repetition_penalty;  // [R], > 0

  // Step 3.
  std::span<const std::int32_t> ban_begin;  // [R + 1]
  std::span<const std::int32_t> ban_ids;

  // Step 5: bit t % 32 of word t / 32, one line of mask_stride words for each row with a grammar.
  std::span<const std::uint32_t> mask;
  std::int64_t mask_stride = 0;
  std::span<const std::int32_t> mask_line;  // [R]: line of the mask, or -1 for none

  // Step 6.
  std::span<const std::int32_t> bias_begin;  // [R + 1]
  std::span<const std::int32_t> bias_ids;
  std::span<const float> bias_values;

  std::span<RowStatus> status;  // [R], written
};

std::string Check(const LogitsProcessArgs& args);

}  // namespace sglrun::kernels
