// Sizes of what the operations need, plain arithmetic for both worlds.
#include <algorithm>

#include "kernels/cuda/ops.h"
#include "kernels/cuda/quant_weight.h"

namespace sglrun::kernels::cuda {
namespace {

std::size_t ElementBytes(WeightType type) {
  return type == WeightType::kF32 ? 4 : 2;
}

}  // namespace

std::size_t WeightBytes(const Weight& weight) {
  if (IsQuantized(weight.type)) return QuantPlaces(weight).bytes;
  return static_cast<std::size_t>(weight.n * PaddedK(weight.k)) * ElementBytes(weight.type);
}

std::size_t PageBytes(std::int64_t heads, std::int64_t head_dim, bool is_bf16) {
  return static_cast<std::size_t>(2 * kPageSize * heads * head_dim) * (is_bf16 ? 2 : 4);
}

std::int64_t GemmShares(std::int64_t m, std::int64_t n) {
  const std::int64_t tiles = (n + 127) / 128 * ((m + 63) / 64);
  constexpr std::int64_t kEnough = 128;  // about the multiprocessors of a large GPU
  std::int64_t shares = 1;
  while (shares < 8 && tiles * shares < kEnough) shares *= 2;
  return shares;
}

std::size_t GemmScratchBytes(std::int64_t m, const Weight& weight) {
  const std::int64_t runs =
      m > kGemmSmallRows && GemmShares(m, weight.n) > 1 ? 8 * m * weight.n : 0;
  if (IsQuantized(weight.type))
    return QuantRunsOffset(m, weight.k) + static_cast<std::size_t>(runs) * 4;
  if (weight.type == WeightType::kF32 || m <= kGemmSmallRows) return 0;
  const std::int64_t padded = m * PaddedK(weight.k);
  return static_cast<std::size_t>(padded * 2 + runs * 4);
}

// Splits lie at multiples of kAttentionSplit; a window reaches into one more than it fills.
std::int64_t AttentionSplits(std::int64_t kv_len, std::int64_t window) {
  const std::int64_t all = (kv_len + kAttentionSplit - 1) / kAttentionSplit;
  if (window <= 0) return all;
  return std::min(all, (window + kAttentionSplit - 1) / kAttentionSplit + 1);
}

// For each row, head and split: head_dim sums, the largest score and the sum of the weights.
std::size_t AttentionScratchBytes(std::int64_t rows, std::int64_t num_heads, std::int64_t head_dim,
                                  std::int64_t max_splits) {
  if (max_splits <= 1) return 0;
  return static_cast<std::size_t>(rows * num_heads * max_splits * (head_dim + 2)) * sizeof(float);
}

std::size_t LogprobsScratchBytes(std::int64_t rows, std::int64_t max_top) {
  return static_cast<std::size_t>(rows * LogprobsScratchTop(max_top)) * sizeof(std::uint64_t);
}

}  // namespace sglrun::kernels::cuda
