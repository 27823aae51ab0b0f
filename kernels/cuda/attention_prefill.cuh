// Attention of rows with several queries: a block takes kPrefillRows pairs (query, head of the
// group) of one key head over all tiles of keys they see, which pass through shared memory while
// the tile before them is worked on. The same kernel serves whole prompts, their chunks and prompts
// whose beginning is in the cache already: only positions differ.
#pragma once

#include "kernels/cuda/attention.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kPrefillThreads = 256;
inline constexpr int kPrefillWarps = kPrefillThreads / 32;

// Each warp takes 64 dims of a head and computes all scores: the sums of more dims, for a split and
// for all splits, would not fit into a thread's registers.
constexpr int DimParts(int dim) {
  return dim / 64;
}
constexpr int PrefillRows(int dim) {
  return kPrefillWarps / DimParts(dim) * 16;
}
// Tiles of keys in shared memory: one is worked on while the next arrives.
constexpr int PrefillStages(int dim) {
  return dim > 128 ? 1 : 2;
}
constexpr std::size_t PrefillSharedBytes(int dim) {
  const int rows = PrefillRows(dim) + PrefillStages(dim) * 2 * kTileKeys;
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim) * sizeof(bf16);
}

// Rows of kDim elements in shared memory, 8 elements a piece. Within a row the pieces are
// permuted, so that 8 lanes of a load, which read 4 pieces of two rows (keys, queries) or 2 pieces
// of four pairs of rows (values), hit different banks.
template <int kDim>
__device__ __forceinline__ int KeyPlace(int row, int dim) {
  return row * kDim + (dim ^ ((row & 1) << 5));
}
template <int kDim>
__device__ __forceinline__ int ValuePlace(int row, int dim) {
  return row * kDim + (dim ^ ((row & 6) << 3));
}

template <int kDim>
struct SharedTile {
  const bf16* keys;
  const bf16* values;

  __device__ __forceinline__ uint4 Key(int index, int slot, int dim) const {
    return cu::ld16(keys + index * (kPageSize * kDim) + KeyPlace<kDim>(slot, dim));
  }
  __device__ __forceinline__ uint4 Value(int index, int slot, int dim) const {
    return cu::ld16(values + index * (kPageSize * kDim) + ValuePlace<kDim>(slot, dim));
  }
};

// The blocks of the rows: row r begins at block floor(begin * group / rows) + r, which leaves
// enough for each row, and at most one too many. So a block finds its row without a list from the
// host.
__device__ __forceinline__ std::int64_t FirstBlock(const cuda::AttentionParams& p, std::int64_t row,
                                                   int group, int rows) {
  return std::int64_t{p.query_start[row]} * group / rows + row;
}
__device__ __forceinline__ std::int64_t RowOfBlock(const cuda::AttentionParams& p,
                                                   std::int64_t block, int group, int rows) {
  std::int64_t low = 0, high = p.rows - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (FirstBlock(p, middle, group, rows) <= block) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Asks for a tile: every thread some 16 bytes of it; zeros for keys outside [begin, end) of the
// row.
template <int kDim>
__device__ __forceinline__ void FetchTile(const RowPages& pages, int head_dim, int base, int begin,
                                          int end, bf16* keys, bf16* values) {
  constexpr int kPieces = kDim / 8;
#pragma unroll 1  // the sums leave few registers for addresses
  for (int i = static_cast<int>(threadIdx.x); i < kTileKeys * kPieces; i += kPrefillThreads) {
    const int key = i / kPieces, dim = i % kPieces * 8;
    bf16* key_to = keys + KeyPlace<kDim>(key, dim);
    bf16* value_to = values + ValuePlace<kDim>(key, dim);
    if (base + key >= begin && base + key < end && dim < head_dim) {
      const bf16* from =
          pages.Page((base + key) / kPageSize) + (base + key) % kPageSize * pages.slot_stride + dim;
      cu::cp_async16(key_to, from);
      cu::cp_async16(value_to, from + pages.value_offset);
    } else {
      cu::st16(key_to, uint4{0, 0, 0, 0});
      cu::st16(value_to, uint4{0, 0, 0, 0});
    }
  }
}

// The sums of a warp's rows over a split, or over all of them: head_dim / kParts dims.
template <int kGroups>
struct RowSums {
  float largest[2], sum[2];
  float o[kGroups][8][4];

  __device__ __forceinline__ void Clear() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      largest[half] = -INFINITY;
      sum[half] = 0;
    }
#pragma unroll
    for (int i = 0; i < kGroups * 32; ++i) o[i / 32][i / 4 % 8][i % 4] = 0;
  }
  // Factors for both halves; then MergeGroup for each group of 64 dims.
  __device__ __forceinline__ void MergeRows(const float (&more_largest)[2],
                                            const float (&more_sum)[2], MergeFactors (&f)[2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      f[half] = Merge(largest[half], more_largest[half]);
      largest[half] = f[half].largest;
      sum[half] = MergeSum(f[half], sum[half], more_sum[half]);
    }
  }
  __device__ __forceinline__ void MergeGroup(int i, const MergeFactors (&f)[2],
                                             const float (&more)[8][4]) {
#pragma unroll
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int c = 0; c < 4; ++c) o[i][n][c] = MergeSum(f[c / 2], o[i][n][c], more[n][c]);
    }
  }
};

// grid: blocks of rows, key heads.
template <int kDim, bool kAligned>
__global__ void __launch_bounds__(kPrefillThreads) AttentionPrefillKernel(cuda::AttentionParams p) {
  constexpr int kParts = DimParts(kDim), kRows = PrefillRows(kDim);
  constexpr int kGroups = kDim / 64 / kParts;
  CU_SMEM(bf16, shared);
  const int group = static_cast<int>(p.num_heads) / p.cache.heads;
  // The last queries see the most keys; they begin first.
  const std::int64_t block = std::int64_t{gridDim.x} - 1 - blockIdx.x;
  const std::int64_t row = RowOfBlock(p, block, group, kRows);
  const std::int32_t token = p.query_start[row];
  const int queries = p.query_start[row + 1] - token;
  const int first_row = static_cast<int>(block - FirstBlock(p, row, group, kRows)) * kRows;
  if (queries <= 1 || first_row >= queries * group) return;

  const int head_dim = p.cache.head_dim;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const int warp_row = first_row + warp / kParts * 16, part = warp % kParts;
  const int before = p.kv_len[row] - queries;  // position of the first query
  const int last_row = min(first_row + kRows, queries * group) - 1;
  const Visible block_keys = {VisibleKeys(before + first_row / group, p.window).first,
                              before + last_row / group};
  const Visible warp_keys = {
      VisibleKeys(before + min(warp_row, last_row) / group, p.window).first,
      warp_row <= last_row ? before + min(warp_row + 15, last_row) / group : -1};
  const RowPages pages(p, row, blockIdx.y);
  const float* q = p.q.data + token * p.q.stride + std::int64_t{blockIdx.y} * group * head_dim;
  const auto query_row = [&](int i) { return q + i / group * p.q.stride + i % group * head_dim; };
  Visible keys[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int i = warp_row + g + 8 * half;
    keys[half] = {1, 0};
    if (i <= last_row) keys[half] = VisibleKeys(before + i / group, p.window);
  }
  // Queries in bf16 wait in shared memory: registers are full of sums.
  for (int i = static_cast<int>(threadIdx.x); i < kRows * (kDim / 8); i += kPrefillThreads) {
    const int r = i / (kDim / 8), dim = i % (kDim / 8) * 8;
    uint4 piece{0, 0, 0, 0};
    if (first_row + r <= last_row && dim < head_dim) {
      piece = LoadQuery<kAligned>(query_row(first_row + r) + dim);
    }
    cu::st16(shared + KeyPlace<kDim>(r, dim), piece);
  }
  const bf16* warp_queries = shared + warp / kParts * 16 * kDim;
  const auto query = [&](int i) {
    const int place = KeyPlace<kDim>(g, 32 * i + 8 * t);
    return QueryPiece{cu::ld16(warp_queries + place), cu::ld16(warp_queries + 8 * kDim + place)};
  };

  RowSums<kGroups> split, all;
  split.Clear();
  all.Clear();
  constexpr int kStages = PrefillStages(kDim);
  const int first_tile = block_keys.first / kTileKeys, last_tile = block_keys.last / kTileKeys;
  const auto keys_of = [&](int index) {
    return shared + (kRows + index % kStages * 2 * kTileKeys) * kDim;
  };
  const auto fetch = [&](int index) {
    bf16* to = keys_of(index);
    FetchTile<kDim>(pages, head_dim, index * kTileKeys, block_keys.first, block_keys.last + 1, to,
                    to + kTileKeys * kDim);
  };
  if constexpr (kStages > 1) fetch(first_tile);
  cu::cp_async_commit();
  for (int index = first_tile; index <= last_tile; ++index) {
    const int ahead = index + kStages - 1;
    if (ahead <= last_tile) fetch(ahead);
    cu::cp_async_commit();
    cu::cp_async_wait<kStages - 1>();
    __syncthreads();
    const int base = index * kTileKeys;
    if (base <= warp_keys.last && base + kTileKeys > warp_keys.first) {
      const bf16* tile_keys = keys_of(index);
      const SharedTile<kDim> tile{tile_keys, tile_keys + kTileKeys * kDim};
      const TileWeights weights =
          WeighTile<kDim, true>(tile, query, head_dim, base, keys, ScoreScale(p));
      MergeFactors f[2];
      split.MergeRows(weights.largest, weights.sum, f);
#pragma unroll
      for (int i = 0; i < kGroups; ++i) {
        float o[8][4];
        WeighValues(tile, weights, part * kGroups + i, o);
        split.MergeGroup(i, f, o);
      }
    }
    if (index % kSplitTiles == kSplitTiles - 1 || index == last_tile) {
      MergeFactors f[2];
      all.MergeRows(split.largest, split.sum, f);
#pragma unroll
      for (int i = 0; i < kGroups; ++i) all.MergeGroup(i, f, split.o[i]);
      split.Clear();
    }
    __syncthreads();
  }
  cu::cp_async_wait<0>();

  float* out = p.out.data + token * p.out.stride + std::int64_t{blockIdx.y} * group * head_dim;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int i = warp_row + g + 8 * half;
    if (i > last_row) continue;
    float* to = out + i / group * p.out.stride + i % group * head_dim;
#pragma unroll
    for (int n = 0; n < kGroups * 16; ++n) {
      const int dim = 64 * (part * kGroups + n / 16) + 16 * t + n % 16;
      if (dim < head_dim) to[dim] = all.o[n / 16][n % 8][2 * half + n % 16 / 8] / all.sum[half];
    }
  }
}

}  // namespace sglrun::kernels::CU_WORLD
