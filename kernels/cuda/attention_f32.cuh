// Attention over a float32 cache, for tests and small models: each warp handles one head of one
// query, each lane one of 32 keys, then some dims of their values.
#pragma once

#include "kernels/cuda/attention.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kF32AttentionWarps = 4;

__global__ void __launch_bounds__(kF32AttentionWarps * 32)
    AttentionF32Kernel(cuda::AttentionParams p) {
  CU_SHARED(float, weight, kF32AttentionWarps * 32);
  const std::int64_t item = std::int64_t{blockIdx.x} * kF32AttentionWarps + threadIdx.x / 32;
  if (item >= p.tokens * p.num_heads) return;
  const std::int64_t token = item / p.num_heads, head = item % p.num_heads;
  std::int64_t row = 0;  // the last one that begins at or before the token
  for (std::int64_t high = p.rows - 1; row < high;) {
    const std::int64_t middle = (row + high + 1) / 2;
    if (p.query_start[middle] <= token) {
      row = middle;
    } else {
      high = middle - 1;
    }
  }
  const int position = p.kv_len[row] - (p.query_start[row + 1] - static_cast<std::int32_t>(token));
  const Visible keys = VisibleKeys(position, p.window);
  const int head_dim = p.cache.head_dim, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t width = std::int64_t{p.cache.heads} * head_dim;
  const std::int64_t head_offset = head / (p.num_heads / p.cache.heads) * head_dim;
  const std::int32_t* table = p.block_tables + row * p.block_table_stride;
  const auto slot = [&](int key) {
    return static_cast<const float*>(p.cache.data) +
           std::int64_t{table[key / kPageSize]} * (2 * kPageSize * width) +
           key % kPageSize * width + head_offset;
  };
  const float* q = p.q.data + token * p.q.stride + head * head_dim;
  float* weights = weight + threadIdx.x / 32 * 32;
  const float scale = p.softcap > 0 ? p.scale / p.softcap : p.scale * 1.4426950408889634f;

  float largest = -INFINITY, sum = 0;
  float o[kMaxHeadDim / 32] = {};
  for (int base = keys.first / 32 * 32; base <= keys.last; base += 32) {
    const int key = base + lane;
    float score = -INFINITY;
    if (key >= keys.first && key <= keys.last) {
      const float* k = slot(key);
      score = 0;
      for (int d = 0; d < head_dim; ++d) score += q[d] * k[d];
      score *= scale;
      if (p.softcap > 0) score = p.softcap * 1.4426950408889634f * tanhf(score);
    }
    const float m = fmaxf(largest, WarpReduce(score, Largest{}));
    const float factor = exp2f(largest - m), w = exp2f(score - m);
    largest = m;
    sum = sum * factor + WarpReduce(w, Sum{});
    weights[lane] = w;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kMaxHeadDim / 32; ++i) {
      if (i * 32 + lane < head_dim) o[i] *= factor;
    }
    const int end = min(base + 32, keys.last + 1);
    for (int j = max(base, keys.first); j < end; ++j) {
      const float* v = slot(j) + kPageSize * width;
#pragma unroll
      for (int i = 0; i < kMaxHeadDim / 32; ++i) {
        if (i * 32 + lane < head_dim) o[i] += weights[j - base] * v[i * 32 + lane];
      }
    }
    __syncwarp();
  }
  float* out = p.out.data + token * p.out.stride + head * head_dim;
#pragma unroll
  for (int i = 0; i < kMaxHeadDim / 32; ++i) {
    if (i * 32 + lane < head_dim) out[i * 32 + lane] = o[i] / sum;
  }
}

}  // namespace sglrun::kernels::CU_WORLD
