// Attention of rows with one query: each block handles one split of one key head, each warp one of
// its tiles straight from global memory; then the splits are merged. Which splits there are follows
// from the row's number of keys alone.
#pragma once

#include "kernels/cuda/attention.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kDecodeThreads = kSplitTiles * 32;

// The splits of a row with one query.
struct Splits {
  int first, count;
};
__device__ __forceinline__ Splits SplitsOf(const Visible& keys) {
  constexpr int kKeys = static_cast<int>(cuda::kAttentionSplit);
  return {keys.first / kKeys, keys.last / kKeys - keys.first / kKeys + 1};
}

// A row of partials: head_dim sums, the largest score, the sum of the weights.
__device__ __forceinline__ float* Partial(const cuda::AttentionParams& p, std::int64_t row,
                                          std::int64_t head, std::int64_t split) {
  return p.partials + ((row * p.num_heads + head) * p.max_splits + split) * (p.cache.head_dim + 2);
}

constexpr std::size_t DecodeSharedBytes(int dim, bool both) {
  return std::size_t{kSplitTiles} * (both ? 16 : 8) * static_cast<std::size_t>(dim) * sizeof(float);
}

// grid: rows, key heads times tiles of 16 heads of the group, splits. kBoth: groups of more than 8.
template <int kDim, bool kBoth, bool kAligned>
__global__ void __launch_bounds__(kDecodeThreads) AttentionDecodeKernel(cuda::AttentionParams p) {
  constexpr int kRows = kBoth ? 16 : 8;
  CU_SMEM(float, sums);  // [tile][row][kDim]
  CU_SHARED(float, largest, kSplitTiles* kRows);
  CU_SHARED(float, total, kSplitTiles* kRows);
  const std::int64_t row = blockIdx.x;
  const std::int32_t token = p.query_start[row];
  if (p.query_start[row + 1] - token != 1) return;
  const Visible keys = VisibleKeys(p.kv_len[row] - 1, p.window);
  const Splits splits = SplitsOf(keys);
  const int split = static_cast<int>(blockIdx.z);
  if (split >= splits.count) return;

  const int group = static_cast<int>(p.num_heads) / p.cache.heads;
  const int head_tiles = (group + 15) / 16;
  const int kv_head = static_cast<int>(blockIdx.y) / head_tiles;
  const int first_head = static_cast<int>(blockIdx.y) % head_tiles * 16;  // in the group
  const int heads = min(kRows, group - first_head);
  const int head_dim = p.cache.head_dim;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const int base =
      (splits.first + split) * static_cast<int>(cuda::kAttentionSplit) + warp * kTileKeys;

  const RowPages pages(p, row, kv_head);
  GlobalTile<kDim> tile;
  tile.slot_stride = pages.slot_stride;
  tile.value_offset = pages.value_offset;
  tile.head_dim = head_dim;
  tile.begin = keys.first - base;
  tile.end = keys.last + 1 - base;
#pragma unroll
  for (int i = 0; i < kTileKeys / kPageSize; ++i) {
    const bool counts = (i + 1) * kPageSize > tile.begin && i * kPageSize < tile.end;
    tile.page[i] = counts ? pages.Page(base / kPageSize + i) : nullptr;
  }

  const float* q = p.q.data + token * p.q.stride +
                   (std::int64_t{kv_head} * group + first_head) * head_dim + 8 * t;
  const auto query = [&](int i) {
    QueryPiece piece{{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (32 * i + 8 * t < head_dim) {
      if (g < heads) piece.upper = LoadQuery<kAligned>(q + g * head_dim + 32 * i);
      if (kBoth && g + 8 < heads)
        piece.lower = LoadQuery<kAligned>(q + (g + 8) * head_dim + 32 * i);
    }
    return piece;
  };
  const Visible rows[2] = {keys, keys};
  const TileWeights weights =
      WeighTile<kDim, kBoth>(tile, query, head_dim, base, rows, ScoreScale(p));
#pragma unroll
  for (int half = 0; half < (kBoth ? 2 : 1); ++half) {
    if (t == 0) {
      largest[warp * kRows + g + 8 * half] = weights.largest[half];
      total[warp * kRows + g + 8 * half] = weights.sum[half];
    }
  }
#pragma unroll
  for (int i = 0; i < kDim / 64; ++i) {
    if (64 * i >= head_dim) break;
    float o[8][4];
    WeighValues(tile, weights, i, o);
#pragma unroll
    for (int half = 0; half < (kBoth ? 2 : 1); ++half) {
      float* to = sums + (warp * kRows + g + 8 * half) * kDim + 64 * i + 16 * t;
#pragma unroll
      for (int piece = 0; piece < 4; ++piece) {
        const int n = piece % 2 * 4, c = 2 * half + piece / 2;
        Store4<true>(to + piece * 4, {{o[n][c], o[n + 1][c], o[n + 2][c], o[n + 3][c]}}, 4);
      }
    }
  }
  __syncthreads();

  const std::int64_t head0 = std::int64_t{kv_head} * group + first_head;
  for (int i = static_cast<int>(threadIdx.x); i < heads * head_dim; i += kDecodeThreads) {
    const int h = i / head_dim, d = i % head_dim;
    float m = -INFINITY, l = 0, o = 0;
#pragma unroll
    for (int part = 0; part < kSplitTiles; ++part) {
      const MergeFactors f = Merge(m, largest[part * kRows + h]);
      m = f.largest;
      l = MergeSum(f, l, total[part * kRows + h]);
      o = MergeSum(f, o, sums[(part * kRows + h) * kDim + d]);
    }
    if (splits.count == 1) {
      p.out.data[token * p.out.stride + (head0 + h) * head_dim + d] = o / l;
    } else {
      float* to = Partial(p, row, head0 + h, split);
      to[d] = o;
      if (d == 0) {
        to[head_dim] = m;
        to[head_dim + 1] = l;
      }
    }
  }
}

// grid: rows, heads.
__global__ void __launch_bounds__(128) AttentionMergeKernel(cuda::AttentionParams p) {
  const std::int64_t row = blockIdx.x, head = blockIdx.y;
  const std::int32_t token = p.query_start[row];
  if (p.query_start[row + 1] - token != 1) return;
  const int count = SplitsOf(VisibleKeys(p.kv_len[row] - 1, p.window)).count;
  if (count == 1) return;
  const int head_dim = p.cache.head_dim;
  for (int d = static_cast<int>(threadIdx.x); d < head_dim; d += 128) {
    float m = -INFINITY, l = 0, o = 0;
    for (int split = 0; split < count; ++split) {
      const float* part = Partial(p, row, head, split);
      const MergeFactors f = Merge(m, part[head_dim]);
      m = f.largest;
      l = MergeSum(f, l, part[head_dim + 1]);
      o = MergeSum(f, o, part[d]);
    }
    p.out.data[token * p.out.stride + head * head_dim + d] = o / l;
  }
}

}  // namespace sglrun::kernels::CU_WORLD
