// What a draw needs between its operations (kernels/draw.h): which rows continue, and what they
// drew.
#pragma once

#include "kernels/cuda/cu.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kDrawThreads = 128;

// Runs after logits_process: rows whose status is not kOk are not sampled.
__global__ void __launch_bounds__(kDrawThreads) AdmitRowsKernel(cuda::DrawParams p) {
  const std::int64_t r = std::int64_t{blockIdx.x} * kDrawThreads + threadIdx.x;
  if (r >= p.rows) return;
  p.tokens[r] = -1;
  if (p.status[r] != 0) p.sampled[r] = 0;
}

// Runs after sample: hands the tokens to the logprobs, and keeps them for the next step.
__global__ void __launch_bounds__(kDrawThreads) SettleRowsKernel(cuda::DrawParams p) {
  const std::int64_t r = std::int64_t{blockIdx.x} * kDrawThreads + threadIdx.x;
  if (r >= p.rows) return;
  const std::int32_t token = p.tokens[r];
  if (p.sampled[r] != 0 && token < 0) p.status[r] = 2;  // RowStatus::kNoneLeft
  if (p.kept_tokens != nullptr) p.kept_tokens[r] = token < 0 ? 0 : token;
  if (p.told == nullptr) return;
  if (p.status[r] != 0) p.told[r] = 0;
  if (p.chosen[r] != 0) p.ask_ids[p.ask_begin[r]] = token < 0 ? 0 : token;
}

__global__ void __launch_bounds__(kDrawThreads) FeedDrawnKernel(cuda::FeedDrawnParams p) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kDrawThreads + threadIdx.x;
  if (i < p.count && p.from[i] >= 0) p.ids[i] = p.drawn[p.from[i]];
}

}  // namespace sglrun::kernels::CU_WORLD
