// rope and store_kv, alone and as one with the norms of heads: one warp per head. cos and sin come
// from a float32 table, the same on every backend.
#pragma once

#include "kernels/cuda/norm.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kHeadWarps = 4;

// One head of a token, by a warp; in memory of any kind.
__device__ __forceinline__ void RotateHead(const cuda::RopeParams& p, std::int64_t token,
                                           float* x) {
  const std::int32_t* positions = p.positions + token * p.positions_per_token;
  for (std::int64_t i = threadIdx.x % 32; i < p.half; i += 32) {
    const std::int64_t position = positions[p.axis != nullptr ? p.axis[i] : 0];
    const float cos = p.cos_table[position * p.table_stride + i];
    const float sin = p.sin_table[position * p.table_stride + i];
    const float a = x[i], b = x[i + p.half];
    x[i] = cu::add_exact(cu::mul_exact(a, cos), -cu::mul_exact(b, sin));
    x[i + p.half] = cu::add_exact(cu::mul_exact(b, cos), cu::mul_exact(a, sin));
  }
}

__global__ void __launch_bounds__(kHeadWarps * 32) RopeKernel(cuda::RopeParams p) {
  const std::int64_t item = std::int64_t{blockIdx.x} * kHeadWarps + threadIdx.x / 32;
  if (item >= p.tokens * p.heads) return;
  const std::int64_t token = item / p.heads;
  RotateHead(p, token, p.x.data + token * p.x.stride + item % p.heads * p.head_dim);
}

// Where a token's keys or values begin in the cache, in elements.
__device__ __forceinline__ std::int64_t CachePlace(const cuda::StoreKvParams& p, std::int64_t token,
                                                   bool is_value) {
  const std::int64_t width = std::int64_t{p.cache.heads} * p.cache.head_dim;
  const std::int64_t slot = p.slots[token];
  return slot / kPageSize * (2 * kPageSize * width) + (is_value ? kPageSize * width : 0) +
         slot % kPageSize * width;
}

// Eight elements: 16 bytes of a bf16 cache.
__device__ __forceinline__ void StoreEight(const cuda::Cache& cache, std::int64_t to,
                                           const Float4& a, const Float4& b) {
  if (cache.is_bf16) {
    cu::st16(static_cast<bf16*>(cache.data) + to,
             uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
                   cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])});
  } else {
    float* out = static_cast<float*>(cache.data) + to;
    Store4<true>(out, a, 4);
    Store4<true>(out + 4, b, 4);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kHeadWarps * 32) StoreKvKernel(cuda::StoreKvParams p) {
  const std::int64_t width = std::int64_t{p.cache.heads} * p.cache.head_dim;
  const bool is_value = blockIdx.y == 1;
  const cuda::Rows& rows = is_value ? p.v : p.k;
  const float* in = rows.data + std::int64_t{blockIdx.x} * rows.stride;
  const std::int64_t to = CachePlace(p, blockIdx.x, is_value);
  for (std::int64_t i = std::int64_t{threadIdx.x} * 8; i < width; i += kHeadWarps * 32 * 8) {
    StoreEight(p.cache, to + i, Load4<kAligned>(in + i, 4), Load4<kAligned>(in + i + 4, 4));
  }
}

// A head into the warp's row of shared memory, normalised as RmsNormKernel does it.
template <bool kAligned>
__device__ __forceinline__ void LoadHead(const cuda::NormInput& norm, const float* x, int size,
                                         float* row) {
  constexpr int kItems = kMaxHeadDim / 128;
  const int first = static_cast<int>(threadIdx.x) % 32 * 4;
  Float4 kept[kItems];
  float squares = 0, scale = 0;
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    kept[item] = Load4<kAligned>(x + first + item * 128, size - first - item * 128);
    squares = AddSquares(kept[item], squares);
  }
  const bool has_norm = norm.weight != nullptr;
  if (has_norm) scale = NormScale(WarpReduce(squares, Sum{}), size, norm.eps);
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    const int i = first + item * 128;
    if (i >= size) continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float value = kept[item].v[j];
      row[i + j] = has_norm ? Normed(value, scale, norm.weight[i + j]) : value;
    }
  }
}

// Heads of a token: q, then k, then v.
template <bool kAligned>
__global__ void __launch_bounds__(kHeadWarps * 32)
    RotateAndStoreKernel(cuda::RotateAndStoreParams p) {
  CU_SHARED(float, rows, kHeadWarps* kMaxHeadDim);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const cuda::Cache& cache = p.store.cache;
  const int size = cache.head_dim;
  // In 32 bits: divisions of 64 are calls, for which registers would be spilled.
  const auto q_heads = static_cast<unsigned>(p.q.heads),
             kv_heads = static_cast<unsigned>(cache.heads);
  const unsigned all = q_heads + 2 * kv_heads, item = blockIdx.x * kHeadWarps + threadIdx.x / 32;
  const std::int64_t token = item / all;
  if (token >= p.q.tokens) return;
  const unsigned place = item % all;
  const bool is_q = place < q_heads, is_value = place >= q_heads + kv_heads;
  const std::int64_t head = is_q ? place : place - q_heads - (is_value ? kv_heads : 0);
  const cuda::Rows& from = is_q ? p.q.x : is_value ? p.store.v : p.store.k;
  float* x = from.data + token * from.stride + head * size;
  float* row = rows + warp * kMaxHeadDim;

  LoadHead<kAligned>(is_q ? p.q_norm : is_value ? cuda::NormInput{} : p.k_norm, x, size, row);
  __syncwarp();
  if (!is_value) RotateHead(p.q, token, row);
  __syncwarp();
  const std::int64_t to = is_q ? 0 : CachePlace(p.store, token, is_value) + head * size;
  for (int i = lane * 8; i < size; i += 32 * 8) {
    const Float4 a = Load4<true>(row + i, 4), b = Load4<true>(row + i + 4, 4);
    if (is_q) {
      Store4<kAligned>(x + i, a, 4);
      Store4<kAligned>(x + i + 4, b, 4);
    } else {
      StoreEight(cache, to + i, a, b);
    }
  }
}

}  // namespace sglrun::kernels::CU_WORLD
