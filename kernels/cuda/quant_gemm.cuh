// gemm with quantised weights (quant_weight.h) on the tensor cores. x is rounded to int8 per
// group, so that the products of a group are exact integers: one step of the tensor core for a
// group of 32, one with half of its columns zero for each group of 16. Their scaled sums are added
// in float32, block by block within a run of K, then run by run (gemm_runs.cuh): an order fixed by
// K alone.
//   - up to 8 rows of x: a warp a run, W passes by once;
//   - more: tiles through shared memory, the runs one by one, or divided among blocks.
// Both work through the same QuantStep.
#pragma once

#include "kernels/cuda/gemm_runs.cuh"
#include "kernels/cuda/quant_rows.cuh"

namespace sglrun::kernels::CU_WORLD {

// A step's 128 columns of a row of W or x as one lane holds them: the words of its first and second
// four columns in each block of 32.
struct StepWords {
  std::uint32_t first[4], second[4];
};

__device__ __forceinline__ StepWords WordsOfBytes(const uint4& a, const uint4& b) {
  return {{a.x, a.z, b.x, b.z}, {a.y, a.w, b.y, b.w}};
}
__device__ __forceinline__ StepWords WordsOfHalfBytes(const uint4& a) {
  constexpr std::uint32_t kLow = 0x0f0f0f0fu;
  return {{a.x & kLow, a.y & kLow, a.z & kLow, a.w & kLow},
          {(a.x >> 4) & kLow, (a.y >> 4) & kLow, (a.z >> 4) & kLow, (a.w >> 4) & kLow}};
}

// Scales and minima of a step's groups of one row of W; the four lanes of a row hold a quarter
// each.
template <int kParts>
struct StepScales {
  float scale[kParts], minimum[kParts];
};

// Of W, as the kernels need it.
template <int kBits, int kGroup>
struct QuantMatrix {
  static constexpr int kParts = 32 / kGroup;  // groups of a block of 32
  static constexpr int kStepBytes = 16 * kBits;

  std::int64_t n, k, padded, groups;
  const unsigned char* data;
  const unsigned char* scales;
  const unsigned char* minima;  // null: none
  bool wide;
  int offset;

  __device__ __forceinline__ QuantMatrix(const cuda::Weight& w, std::size_t scales_at,
                                         std::size_t minima_at)
      : n(w.n),
        k(w.k),
        padded(cuda::PaddedQuantK(w.k)),
        groups((w.k + kGroup - 1) / kGroup),
        data(static_cast<const unsigned char*>(w.data)),
        scales(data + scales_at),
        minima(w.minima ? data + minima_at : nullptr),
        wide(w.wide_scales),
        offset(cuda::CodeOffset(w.type, w.minima)) {}

  __device__ __forceinline__ std::int64_t Row(std::int64_t row) const {
    return row < n ? row : n - 1;
  }
  __device__ __forceinline__ const unsigned char* Codes(std::int64_t row) const {
    return data + Row(row) * (padded / 8 * kBits);
  }
  // Those of block t of the step.
  __device__ __forceinline__ StepScales<kParts> Scales(std::int64_t row, int step, int t) const {
    StepScales<kParts> all;
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const std::int64_t group = (std::int64_t{step} * 4 + t) * kParts + part;
      const std::int64_t at = Row(row) * groups + group;
      const bool exists = group < groups;
      all.scale[part] = exists ? LoadScale(scales, at, wide) : 0.0f;
      all.minimum[part] = exists && minima != nullptr ? LoadScale(minima, at, wide) : 0.0f;
    }
    return all;
  }
};

// sum[16 rows of W, 8 rows of x] += block `block` of a step. upper, lower: rows g and g + 8 of W;
// x: row g of x; of: groups of this block in the rows 2t and 2t + 1 of x.
template <int kParts>
__device__ __forceinline__ void QuantBlock(float sum[4], int block, const StepWords& upper,
                                           const StepWords& lower,
                                           const StepScales<kParts>& upper_scales,
                                           const StepScales<kParts>& lower_scales,
                                           const StepWords& x, const GroupOfX (&of)[2][kParts],
                                           int offset, bool has_minima) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int source = lane / 4 * 4 + block;  // who holds the scales of this block
  const std::uint32_t a[4] = {upper.first[block], lower.first[block], upper.second[block],
                              lower.second[block]};
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    const bool first = kParts == 1 || part == 0, second = kParts == 1 || part == 1;
    const std::uint32_t b[2] = {first ? x.first[block] : 0u, second ? x.second[block] : 0u};
    int products[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) products[c] = offset * of[c % 2][part].sum;
    cu::mma_s8_16832(products, a, b);
    float scale[2] = {__shfl_sync(0xffffffffu, upper_scales.scale[part], source),
                      __shfl_sync(0xffffffffu, lower_scales.scale[part], source)};
    float minimum[2] = {0, 0};
    if (has_minima) {
      minimum[0] = __shfl_sync(0xffffffffu, upper_scales.minimum[part], source);
      minimum[1] = __shfl_sync(0xffffffffu, lower_scales.minimum[part], source);
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float scaled = cu::mul_exact(scale[c / 2], static_cast<float>(products[c]));
      if (has_minima) {
        scaled = fmaf(minimum[c / 2], static_cast<float>(of[c % 2][part].sum), scaled);
      }
      sum[c] = fmaf(of[c % 2][part].scale, scaled, sum[c]);
    }
  }
}

// ---- up to 8 rows of x ----

inline constexpr int kQuantSmallThreads = kChunks * 32;

template <int kBits>
__device__ __forceinline__ StepWords LoadWeightStep(const unsigned char* from) {
  if constexpr (kBits == 4) return WordsOfHalfBytes(cu::ld16_stream(from));
  return WordsOfBytes(cu::ld16_stream(from), cu::ld16_stream(from + 64));
}

// kTiles: tiles of 16 rows of W a block.
template <int kBits, int kGroup, int kTiles>
__global__ void __launch_bounds__(kQuantSmallThreads, 1)
    QuantSmallKernel(cuda::GemmParams p, std::size_t scales_at, std::size_t minima_at) {
  using Matrix = QuantMatrix<kBits, kGroup>;
  constexpr int kParts = Matrix::kParts;
  CU_SHARED(float, sums, kChunks* kTiles * 16 * 9);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const Matrix w(p.weight, scales_at, minima_at);
  const RoundedX x = RoundedXOf(p);
  const std::int64_t n0 = std::int64_t{blockIdx.x} * (16 * kTiles);
  const std::int64_t x_groups = w.padded / kGroup;
  const bool has_x = g < p.m;
  const std::int8_t* x_row = x.codes + (has_x ? g : 0) * w.padded + 16 * t;

  float d[kTiles][4] = {};
  const int steps = static_cast<int>(w.padded / cuda::kQuantStep), per_chunk = StepsOfARun(steps);
  const int end = min(steps, (warp + 1) * per_chunk);
  for (int step = warp * per_chunk; step < end; ++step) {
    StepWords rows[2 * kTiles];
    StepScales<kParts> scales[2 * kTiles];
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      const std::int64_t n = n0 + 8 * i + g;
      rows[i] = LoadWeightStep<kBits>(w.Codes(n) + step * Matrix::kStepBytes + 16 * t);
      scales[i] = w.Scales(n, step, t);
    }
    StepWords part = {};
    if (has_x) {
      part = WordsOfBytes(cu::ld16(x_row + step * 128), cu::ld16(x_row + step * 128 + 64));
    }
#pragma unroll
    for (int block = 0; block < 4; ++block) {
      GroupOfX of[2][kParts] = {};
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (2 * t + c >= p.m) continue;
#pragma unroll
        for (int j = 0; j < kParts; ++j) {
          of[c][j] =
              x.groups[(2 * t + c) * x_groups + (std::int64_t{step} * 4 + block) * kParts + j];
        }
      }
#pragma unroll
      for (int i = 0; i < kTiles; ++i) {
        QuantBlock<kParts>(d[i], block, rows[2 * i], rows[2 * i + 1], scales[2 * i],
                           scales[2 * i + 1], part, of, w.offset, w.minima != nullptr);
      }
    }
  }

  // sums[run][row of W][row of x], rows of 9 so that reading by columns meets no bank twice.
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    float* to = sums + ((warp * kTiles + i) * 16 + g) * 9 + 2 * t;
    to[0] = d[i][0];
    to[1] = d[i][1];
    to[8 * 9] = d[i][2];
    to[8 * 9 + 1] = d[i][3];
  }
  __syncthreads();
  const int chunks = RunsOf(steps);
  for (int i = static_cast<int>(threadIdx.x); i < kTiles * 16 * 8; i += kQuantSmallThreads) {
    const int row = i % (kTiles * 16), m = i / (kTiles * 16);
    const std::int64_t n = n0 + row;
    if (n >= w.n || m >= p.m) continue;
    float sum = sums[row * 9 + m];
    for (int chunk = 1; chunk < chunks; ++chunk) {
      sum += sums[(chunk * kTiles * 16 + row) * 9 + m];
    }
    WriteOutput(p, m, n, sum);
  }
}

// ---- any number of rows ----

inline constexpr int kQuantTiledThreads = 256;
inline constexpr int kQuantTileN = 128;  // rows of W a block
inline constexpr int kQuantStages = 3;   // steps on their way

// A step in shared memory: rows of 64 bytes of W and of x (with int8, two halves one after the
// other), then the groups of the rows of x.
template <int kBits, int kGroup, int kTileM>
struct QuantStage {
  static constexpr int kHalves = kBits == 8 ? 2 : 1;
  static constexpr int kGroups = cuda::kQuantStep / kGroup;
  static constexpr int kWBytes = kQuantTileN * 64 * kHalves;
  static constexpr int kXBytes = kTileM * 128;
  static constexpr int kBytes = kWBytes + kXBytes + kTileM * kGroups * int{sizeof(GroupOfX)};
};

// Behind x in scratch: the sums of the runs when blocks divide them.
__host__ __device__ __forceinline__ float* QuantRunSums(const cuda::GemmParams& p) {
  return reinterpret_cast<float*>(static_cast<unsigned char*>(p.scratch) +
                                  cuda::QuantRunsOffset(p.m, p.weight.k));
}

// kTileM rows of x a block, 32 a warp; the warps that share them divide the rows of W. grid: tiles
// of W, tiles of x, shares of the runs.
template <int kBits, int kGroup, int kTileM>
__global__ void __launch_bounds__(kQuantTiledThreads)
    QuantTiledKernel(cuda::GemmParams p, std::size_t scales_at, std::size_t minima_at) {
  using Matrix = QuantMatrix<kBits, kGroup>;
  using Stage = QuantStage<kBits, kGroup, kTileM>;
  constexpr int kParts = Matrix::kParts;
  constexpr int kWarpsM = kTileM / 32, kWarpsN = kQuantTiledThreads / 32 / kWarpsM;
  constexpr int kWarpTiles = kQuantTileN / kWarpsN / 16;
  CU_SMEM(unsigned char, shared);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int g = lane / 4, t = lane % 4;
  const int warp_n = warp / kWarpsM * (kWarpTiles * 16), warp_m = warp % kWarpsM * 32;
  const std::int64_t n0 = std::int64_t{blockIdx.x} * kQuantTileN;
  const std::int64_t m0 = std::int64_t{blockIdx.y} * kTileM;
  const Matrix w(p.weight, scales_at, minima_at);
  const RoundedX x = RoundedXOf(p);
  const std::int64_t x_groups = w.padded / kGroup;
  const int all_steps = static_cast<int>(w.padded / cuda::kQuantStep);
  const int per_chunk = StepsOfARun(all_steps);
  const bool is_divided = gridDim.z > 1;
  const int share = is_divided ? (RunsOf(all_steps) + static_cast<int>(gridDim.z) - 1) /
                                     static_cast<int>(gridDim.z) * per_chunk
                               : all_steps;
  const int begin = static_cast<int>(blockIdx.z) * share;
  const int steps = min(all_steps, begin + share);

  const auto stage = [&](int step) { return shared + step % kQuantStages * Stage::kBytes; };
  // Rows beyond the end repeat the last one; their outputs are not written.
  const auto row_of_x = [&](int row) { return m0 + row < p.m ? m0 + row : p.m - 1; };
  const auto fetch = [&](int step) {
    unsigned char* to = stage(step);
    for (int i = thread; i < Stage::kWBytes / 16; i += kQuantTiledThreads) {
      const int half = i / (kQuantTileN * 4), row = i / 4 % kQuantTileN;
      cu::cp_async16(to + i * 16,
                     w.Codes(n0 + row) + step * Matrix::kStepBytes + half * 64 + i % 4 * 16);
    }
    to += Stage::kWBytes;
    for (int i = thread; i < Stage::kXBytes / 16; i += kQuantTiledThreads) {
      const int half = i / (kTileM * 4), row = i / 4 % kTileM;
      cu::cp_async16(to + i * 16,
                     x.codes + row_of_x(row) * w.padded + step * 128 + half * 64 + i % 4 * 16);
    }
    to += Stage::kXBytes;
    constexpr int kPerRow = Stage::kGroups / 2;  // of 16 bytes
    for (int i = thread; i < kTileM * kPerRow; i += kQuantTiledThreads) {
      cu::cp_async16(to + i * 16, x.groups + row_of_x(i / kPerRow) * x_groups +
                                      step * Stage::kGroups + i % kPerRow * 2);
    }
  };
  // put(n, m, i, j, c) for each output of this thread that exists.
  const auto at_outputs = [&](const auto& put) {
#pragma unroll
    for (int i = 0; i < kWarpTiles; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const std::int64_t n = n0 + warp_n + i * 16 + g + c / 2 * 8;
          const std::int64_t m = m0 + warp_m + j * 8 + 2 * t + c % 2;
          if (n < w.n && m < p.m) put(n, m, i, j, c);
        }
      }
    }
  };

  float run[kWarpTiles][4][4] = {}, total[kWarpTiles][4][4] = {};
#pragma unroll
  for (int i = 0; i < kQuantStages - 1; ++i) {
    if (begin + i < steps) fetch(begin + i);
    cu::cp_async_commit();
  }
  for (int step = begin; step < steps; ++step) {
    StepScales<kParts> scales[2 * kWarpTiles];
#pragma unroll
    for (int i = 0; i < 2 * kWarpTiles; ++i) {
      scales[i] = w.Scales(n0 + warp_n + 8 * i + g, step, t);
    }
    cu::cp_async_wait<kQuantStages - 2>();
    __syncthreads();
    if (step + kQuantStages - 1 < steps) fetch(step + kQuantStages - 1);
    cu::cp_async_commit();

    const unsigned char* rows_w = stage(step) + (warp_n + g) * 64 + t * 16;
    const unsigned char* rows_x = stage(step) + Stage::kWBytes + (warp_m + g) * 64 + t * 16;
    const auto* groups_x =
        reinterpret_cast<const GroupOfX*>(stage(step) + Stage::kWBytes + Stage::kXBytes);
    StepWords rows[2 * kWarpTiles];
#pragma unroll
    for (int i = 0; i < 2 * kWarpTiles; ++i) {
      const unsigned char* row = rows_w + i * 8 * 64;
      if constexpr (kBits == 4) {
        rows[i] = WordsOfHalfBytes(cu::ld16(row));
      } else {
        rows[i] = WordsOfBytes(cu::ld16(row), cu::ld16(row + kQuantTileN * 64));
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const StepWords part =
          WordsOfBytes(cu::ld16(rows_x + j * 8 * 64), cu::ld16(rows_x + (j * 8 + kTileM) * 64));
      const GroupOfX* of_rows = groups_x + (warp_m + j * 8 + 2 * t) * Stage::kGroups;
#pragma unroll
      for (int block = 0; block < 4; ++block) {
        GroupOfX of[2][kParts];
#pragma unroll
        for (int c = 0; c < 2 * kParts; ++c) {
          of[c / kParts][c % kParts] =
              of_rows[c / kParts * Stage::kGroups + block * kParts + c % kParts];
        }
#pragma unroll
        for (int i = 0; i < kWarpTiles; ++i) {
          QuantBlock<kParts>(run[i][j], block, rows[2 * i], rows[2 * i + 1], scales[2 * i],
                             scales[2 * i + 1], part, of, w.offset, w.minima != nullptr);
        }
      }
    }
    if ((step + 1) % per_chunk == 0 || step + 1 == steps) {
      if (is_divided) {
        float* to = QuantRunSums(p) + step / per_chunk * p.m * w.n;
        at_outputs([&](std::int64_t n, std::int64_t m, int i, int j, int c) {
          to[m * w.n + n] = run[i][j][c];
        });
      }
      const bool is_first = step < per_chunk;
#pragma unroll
      for (int i = 0; i < kWarpTiles * 16; ++i) {
        float& sum = total[i / 16][i / 4 % 4][i % 4];
        float& more = run[i / 16][i / 4 % 4][i % 4];
        sum = is_first ? more : sum + more;
        more = 0;
      }
    }
  }
  cu::cp_async_wait<0>();
  if (is_divided) return;
  at_outputs([&](std::int64_t n, std::int64_t m, int i, int j, int c) {
    WriteOutput(p, m, n, total[i][j][c]);
  });
}

}  // namespace sglrun::kernels::CU_WORLD
