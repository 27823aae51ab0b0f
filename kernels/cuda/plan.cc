// Sizes of what the operations need, plain arithmetic for both worlds.
#include <algorithm>

#include "kernels/cuda/ops.h"
#include "kernels/cuda/quant_weight.h"

namespace sglrun::kernels::cuda {
namespace {

std::size_t ElementBytes(WeightType type) {
  return type == WeightType::kF32 ? 4 : 2;
}

bool IsAlignedTo16(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
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
  const std::int64_t tiles =
      (n + kTileOutputs - 1) / kTileOutputs * ((m + kTileRows - 1) / kTileRows);
  std::int64_t shares = 1;
  while (shares < 8 && tiles * shares < kEnoughTiles) shares *= 2;
  return shares;
}

// Norms are read 16 bytes at a time. In the form for few rows each block reads x once more for its
// norm, which is worth it while that takes less time than a launch.
bool GemmTakes(InputKind kind, const GemmParams& p) {
  constexpr std::int64_t kMostNormed = 16384;
  if (kind == InputKind::kRows || p.m == 0 || p.weight.k == 0) return kind == InputKind::kRows;
  if (!IsAlignedTo16(p.x.data) || p.x.stride % 4 != 0 || p.weight.type == WeightType::kF32) {
    return false;
  }
  const bool is_small = p.m <= kGemmSmallRows && !IsQuantized(p.weight.type);
  if (kind == InputKind::kGated) return !is_small && p.weight.k % 4 == 0;
  if (!IsAlignedTo16(p.input.norm.weight)) return false;
  return !is_small || p.m * p.weight.k <= kMostNormed;
}

bool GemmGates(const GemmParams& p) {
  return p.m > 0 && p.m <= kGemmSmallRows && p.weight.k > 0 && p.weight.n % 2 == 0 &&
         (p.weight.type == WeightType::kBF16 || p.weight.type == WeightType::kF16) &&
         IsAlignedTo16(p.x.data) && p.x.stride % 4 == 0;
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
