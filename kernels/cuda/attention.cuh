// What the two bf16 forms of attention, decode and prefill, share: a warp's work on one tile of
// keys. A query must get the same bits from both, so everything that rounds stands here, once:
//
//   - Keys are cut into tiles of kTileKeys and splits of kAttentionSplit, at absolute positions.
//   - A tile gives each row its largest score m, the sum l of exp2(score - m) and the sums o of the
//     values with these weights: scores and values by mma, in an order fixed by the tile.
//   - (m, l, o) of the tiles of a split are merged in order, then those of the splits.
//
// A tile in which a row sees no key has m = -inf and changes no bit of it, so it may be computed
// or left out.
//
// Rows are pairs (query, head of the group), 16 per warp: all heads that share a key head read it
// once. Operands come in pieces of 8 neighbouring elements, one load of 16 bytes per lane; what the
// tensor core takes for its own order of columns is permuted alike on both sides (compare
// gemm.cuh): of keys, the lane (g, t) holds dims 32 i + 8 t .. + 7 of key g; of values, dims 64 i +
// 8 g .. + 7 of the keys 2t, 2t+1, 2t+8, 2t+9.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kTileKeys = 64;
static_assert(kPageSize == 16);
inline constexpr int kSplitTiles = static_cast<int>(cuda::kAttentionSplit) / kTileKeys;

// The row r of the batch and a range of its rows (query, head).
struct Visible {
  int first, last;  // keys that a row sees; first > last: none
};

__device__ __forceinline__ Visible VisibleKeys(int position, std::int64_t window) {
  const int first = window > 0 ? max(0, position - static_cast<int>(window) + 1) : 0;
  return {first, position};
}

// (m, l, o) so far and of the next part: M = max(m, more), and the factors of both.
struct MergeFactors {
  float largest, old_factor, more_factor;
};
__device__ __forceinline__ MergeFactors Merge(float old_largest, float more_largest) {
  const float largest = fmaxf(old_largest, more_largest);
  // Without a key yet: the factors are 0, not NaN.
  const float base = largest == -INFINITY ? 0.0f : largest;
  return {largest, exp2f(old_largest - base), exp2f(more_largest - base)};
}
__device__ __forceinline__ float MergeSum(const MergeFactors& f, float old_sum, float more) {
  return fmaf(more, f.more_factor, cu::mul_exact(old_sum, f.old_factor));
}

// A tile of keys in global memory; keys are named by page and slot, so that the pages stay in
// registers. Keys outside [begin, end) count as zeros, whatever the memory
// holds: pages that were given back, slots that were never written.
template <int kDim>
struct GlobalTile {
  const bf16* page[kTileKeys / kPageSize];  // keys of this head; null where no key counts
  std::int64_t slot_stride, value_offset;
  int begin, end;  // within the tile
  int head_dim;

  __device__ __forceinline__ uint4 Load(int index, int slot, int dim, std::int64_t offset) const {
    const int key = index * kPageSize + slot;
    if (key < begin || key >= end || dim >= head_dim) return uint4{0, 0, 0, 0};
    return cu::ld16_stream(page[index] + offset + slot * slot_stride + dim);
  }
  __device__ __forceinline__ uint4 Key(int index, int slot, int dim) const {
    return Load(index, slot, dim, 0);
  }
  __device__ __forceinline__ uint4 Value(int index, int slot, int dim) const {
    return Load(index, slot, dim, value_offset);
  }
};

// Where the pages of a row lie.
struct RowPages {
  const std::int32_t* table;
  const bf16* data;
  std::int64_t page_stride, slot_stride, head_offset, value_offset;

  __device__ __forceinline__ RowPages(const cuda::AttentionParams& p, std::int64_t row,
                                      std::int64_t kv_head)
      : table(p.block_tables + row * p.block_table_stride),
        data(static_cast<const bf16*>(p.cache.data)),
        slot_stride(std::int64_t{p.cache.heads} * p.cache.head_dim),
        head_offset(kv_head * p.cache.head_dim) {
    value_offset = kPageSize * slot_stride;
    page_stride = 2 * value_offset;
  }
  // The first element of a page's keys of the head.
  __device__ __forceinline__ const bf16* Page(int index) const {
    return data + table[index] * page_stride + head_offset;
  }
};

// The weights of a tile's keys as operands of the second product, and their (m, l) for rows g and
// g + 8. kBoth: whether rows g + 8 exist.
struct TileWeights {
  std::uint32_t a[kTileKeys / 16][4];
  float largest[2], sum[2];
};

// Scores are multiplied by `log2`, which makes them units of log2; with a soft cap, tanh(inner s)
// takes the place of a score s. tanh by one exp2f, whose error is 2^-23 of the cap.
struct ScoreScale {
  float inner, log2;  // inner 0: no cap

  __device__ __forceinline__ explicit ScoreScale(const cuda::AttentionParams& p)
      : inner(p.softcap > 0 ? p.scale / p.softcap : 0.0f),
        log2((p.softcap > 0 ? p.softcap : p.scale) * 1.4426950408889634f) {}
  __device__ __forceinline__ float Capped(float s) const {
    const float e = exp2f(cu::mul_exact(s, 2.8853900817779268f * inner));
    return 1.0f - 2.0f / cu::add_exact(e, 1.0f);
  }
};

// query(i): uint4 pair, dims 32 i + 8 t .. + 7 of rows g and g + 8.
struct QueryPiece {
  uint4 upper, lower;
};

template <int kDim, bool kBoth, class Tile, class Query>
__device__ __forceinline__ TileWeights WeighTile(const Tile& tile, const Query& query, int head_dim,
                                                 int base, const Visible (&rows)[2],
                                                 const ScoreScale& scale) {
  constexpr int kEights = kTileKeys / 8;
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  float score[kEights][4] = {};
#pragma unroll
  for (int i = 0; i < kDim / 32; ++i) {
    if (32 * i >= head_dim) break;
    const QueryPiece q = query(i);
    const std::uint32_t first[4] = {q.upper.x, q.lower.x, q.upper.y, q.lower.y};
    const std::uint32_t second[4] = {q.upper.z, q.lower.z, q.upper.w, q.lower.w};
#pragma unroll
    for (int n = 0; n < kEights; ++n) {
      const uint4 key = tile.Key(n / 2, n % 2 * 8 + g, 32 * i + 8 * t);
      const std::uint32_t key_first[2] = {key.x, key.y}, key_second[2] = {key.z, key.w};
      cu::mma_bf16_16816(score[n], first, key_first);
      cu::mma_bf16_16816(score[n], second, key_second);
    }
  }

  if (scale.inner != 0) {
#pragma unroll
    for (int n = 0; n < kEights; ++n) {
#pragma unroll
      for (int c = 0; c < 4; ++c) score[n][c] = scale.Capped(score[n][c]);
    }
  }

  TileWeights weights;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = -INFINITY;
#pragma unroll
    for (int n = 0; n < kEights; ++n) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int key = base + 8 * n + 2 * t + c;
        float& s = score[n][2 * half + c];
        if (key < rows[half].first || key > rows[half].last) s = -INFINITY;
        largest = fmaxf(largest, s);
      }
    }
    if (kBoth || half == 0) {
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
    }
    largest = cu::mul_exact(largest, scale.log2);
    const float subtracted = largest == -INFINITY ? 0.0f : largest;
    float sum = 0;
#pragma unroll
    for (int n = 0; n < kEights; ++n) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        float& s = score[n][2 * half + c];
        s = exp2f(fmaf(s, scale.log2, -subtracted));
        sum = cu::add_exact(sum, s);
      }
    }
    if (kBoth || half == 0) {
      sum = cu::add_exact(sum, __shfl_xor_sync(0xffffffffu, sum, 1));
      sum = cu::add_exact(sum, __shfl_xor_sync(0xffffffffu, sum, 2));
    }
    weights.largest[half] = largest;
    weights.sum[half] = sum;
#pragma unroll
    for (int j = 0; j < kTileKeys / 16; ++j) {
      weights.a[j][half] = kBoth || half == 0
                               ? cu::pack_bf16(score[2 * j][2 * half], score[2 * j][2 * half + 1])
                               : 0u;
      weights.a[j][2 + half] = kBoth || half == 0 ? cu::pack_bf16(score[2 * j + 1][2 * half],
                                                                  score[2 * j + 1][2 * half + 1])
                                                  : 0u;
    }
  }
  return weights;
}

// o[n][c] of dims 64 i ..: with c = 2 half + odd, row g + 8 half and dim 64 i + 16 t + 8 odd + n.
template <class Tile>
__device__ __forceinline__ void WeighValues(const Tile& tile, const TileWeights& weights, int i,
                                            float (&o)[8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const int dim = 64 * i + 8 * g;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
#pragma unroll
    for (int c = 0; c < 4; ++c) o[n][c] = 0;
  }
#pragma unroll
  for (int j = 0; j < kTileKeys / 16; ++j) {
    const uint4 v0 = tile.Value(j, 2 * t, dim), v1 = tile.Value(j, 2 * t + 1, dim);
    const uint4 v8 = tile.Value(j, 2 * t + 8, dim), v9 = tile.Value(j, 2 * t + 9, dim);
    const std::uint32_t w0[4] = {v0.x, v0.y, v0.z, v0.w}, w1[4] = {v1.x, v1.y, v1.z, v1.w};
    const std::uint32_t w8[4] = {v8.x, v8.y, v8.z, v8.w}, w9[4] = {v9.x, v9.y, v9.z, v9.w};
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      const std::uint32_t low[2] = {(w0[word] & 0xffffu) | (w1[word] << 16),
                                    (w8[word] & 0xffffu) | (w9[word] << 16)};
      cu::mma_bf16_16816(o[2 * word], weights.a[j], low);
      const std::uint32_t high[2] = {(w0[word] >> 16) | (w1[word] & 0xffff0000u),
                                     (w8[word] >> 16) | (w9[word] & 0xffff0000u)};
      cu::mma_bf16_16816(o[2 * word + 1], weights.a[j], high);
    }
  }
}

// Eight elements of a query in bf16.
template <bool kAligned>
__device__ __forceinline__ uint4 LoadQuery(const float* q) {
  const Float4 a = Load4<kAligned>(q, 4), b = Load4<kAligned>(q + 4, 4);
  return uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
               cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])};
}

}  // namespace sglrun::kernels::CU_WORLD
