// gemm: y = x W^T. Rows of W are the 16 rows of the tensor core's tile and rows of x its 8 columns,
// in every form, so that one output is always the same sum:
//   - K is cut into steps of 32 and the steps into at most kChunks runs of equal length;
//   - within a run, products are added step by step by mma (two m16n8k16 a step);
//   - the runs' sums are added in order.
// The small form gives each run to a warp of its own; the tiled form works through them one by one,
// or divides them among blocks when there are too few tiles to fill a GPU.
//
// In a step, the lane (g, t) = (lane / 4, lane % 4) holds the 8 neighbouring elements k = 8 t .. 8
// t + 7 of its rows: one load of 16 bytes. The tensor core is told that these are its columns 2t,
// 2t+1, 2t+8, 2t+9 of two products; since x and W agree, only the order within the step differs.
#pragma once

#include "kernels/cuda/gemm_runs.cuh"
#include "kernels/cuda/norm.cuh"

namespace sglrun::kernels::CU_WORLD {

// Steps of 32 in a run, and the number of runs.
__host__ __device__ __forceinline__ int StepsPerChunk(std::int64_t k) {
  return StepsOfARun(cuda::PaddedK(k) / 32);
}
__host__ __device__ __forceinline__ int NumChunks(std::int64_t k) {
  return RunsOf(cuda::PaddedK(k) / 32);
}

// 16-bit elements of W as the tensor core takes them: bf16 as they are; f16 as the sum of two bf16,
// the nearest one and the rest, which together hold all of its 11 bits (but those of the smallest
// subnormal numbers, below 2^-24 of the largest weights).
template <cuda::WeightType kType>
struct WeightPair {
  static constexpr int kParts = kType == cuda::WeightType::kF16 ? 2 : 1;

  static __device__ __forceinline__ std::uint32_t Part(std::uint32_t word, int part) {
    if constexpr (kType == cuda::WeightType::kBF16) return word;
    const float low = cu::to_f32(f16{static_cast<std::uint16_t>(word)});
    const float high = cu::to_f32(f16{static_cast<std::uint16_t>(word >> 16)});
    const std::uint32_t nearest = cu::pack_bf16(low, high);
    if (part == 0) return nearest;
    return cu::pack_bf16(low - cu::low_f32(nearest), high - cu::high_f32(nearest));
  }
};

// d[16 rows of W, 8 rows of x] += one step. upper, lower: rows g and g + 8 of W; x: row g of x.
template <cuda::WeightType kType>
__device__ __forceinline__ void MmaStep(float d[4], const uint4& upper, const uint4& lower,
                                        const uint4& x) {
  using Pair = WeightPair<kType>;
#pragma unroll
  for (int part = 0; part < Pair::kParts; ++part) {
    const std::uint32_t first[4] = {Pair::Part(upper.x, part), Pair::Part(lower.x, part),
                                    Pair::Part(upper.y, part), Pair::Part(lower.y, part)};
    const std::uint32_t x_first[2] = {x.x, x.y};
    cu::mma_bf16_16816(d, first, x_first);
    const std::uint32_t second[4] = {Pair::Part(upper.z, part), Pair::Part(lower.z, part),
                                     Pair::Part(upper.w, part), Pair::Part(lower.w, part)};
    const std::uint32_t x_second[2] = {x.z, x.w};
    cu::mma_bf16_16816(d, second, x_second);
  }
}

// ---- up to 8 rows of x: W passes by once, a warp a run of K ----

inline constexpr int kSmallThreads = kChunks * 32;

// Eight elements of x from k on, rounded to bf16; zeros beyond its end.
template <bool kAligned>
__device__ __forceinline__ uint4 LoadX(const float* x, std::int64_t left) {
  const Float4 a = Load4<kAligned>(x, left), b = Load4<kAligned>(x + 4, left - 4);
  return uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
               cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])};
}

// The same of a row that is not normalised yet; aligned.
__device__ __forceinline__ uint4 LoadNormedX(const float* x, const cuda::NormInput& norm,
                                             std::int64_t at, std::int64_t left, float scale) {
  Float4 part[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    part[half] = Load4<true>(x + 4 * half, left - 4 * half);
    const Float4 weight = Load4<true>(norm.weight + at + 4 * half, left - 4 * half);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      part[half].v[j] = Normed(part[half].v[j], scale, weight.v[j]);
    }
  }
  const Float4 &a = part[0], &b = part[1];
  return uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
               cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])};
}

// How the form for few rows begins and ends. With kGates one tile is of gate and one of up.
enum class SmallForm { kPlain, kAligned, kNormed, kGates, kNormedGates };
constexpr bool HasNorm(SmallForm form) {
  return form == SmallForm::kNormed || form == SmallForm::kNormedGates;
}
constexpr bool HasGates(SmallForm form) {
  return form == SmallForm::kGates || form == SmallForm::kNormedGates;
}

// kTiles: tiles of 16 rows of W per block; with two, half as much of x is read.
template <cuda::WeightType kType, int kTiles, SmallForm kForm>
__global__ void __launch_bounds__(kSmallThreads, 1) GemmSmallKernel(cuda::GemmParams p) {
  constexpr bool kAligned = kForm != SmallForm::kPlain;
  constexpr bool kNorm = HasNorm(kForm), kGates = HasGates(kForm);
  CU_SHARED(float, sums, kChunks* kTiles * 16 * 9);
  CU_SHARED(float, scales, cuda::kGemmSmallRows);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const std::int64_t k = p.weight.k, padded = cuda::PaddedK(k);
  // With gates, a block has 16 outputs: tile 0 their gates, tile 1 what these are multiplied with.
  const std::int64_t outputs = kGates ? p.weight.n / 2 : p.weight.n;
  const std::int64_t n0 = std::int64_t{blockIdx.x} * (kGates ? 16 : 16 * kTiles);
  const auto* w = static_cast<const std::uint16_t*>(p.weight.data) + 8 * t;
  const float* x = p.x.data + g * p.x.stride;
  const bool has_x = g < p.m;
  float scale = 0;
  if constexpr (kNorm) {
    static_assert(kChunks * kTiles * 16 * 9 >= cuda::kGemmSmallRows * kNormWarps);
    NormScales<kSmallThreads>(p.x, static_cast<int>(p.m), k, p.input.norm.eps, sums, scales);
    if (has_x) scale = scales[g];
  }

  const std::uint16_t* rows[2 * kTiles];
#pragma unroll
  for (int i = 0; i < 2 * kTiles; ++i) {
    const std::int64_t n = n0 + (kGates ? i % 2 : i) * 8 + g;
    const std::int64_t row = n < outputs ? n : outputs - 1;
    rows[i] = w + (kGates ? row + i / 2 * outputs : row) * padded;
  }
  float d[kTiles][4] = {};
  const int per_chunk = StepsPerChunk(k), steps = static_cast<int>(padded / 32);
  const int end = min(steps, (warp + 1) * per_chunk);
#pragma unroll 4
  for (int step = warp * per_chunk; step < end; ++step) {
    const std::int64_t at = std::int64_t{step} * 32;
    uint4 part{0, 0, 0, 0};
    if (has_x) {
      const std::int64_t first = at + 8 * t;
      if constexpr (kNorm) {
        part = LoadNormedX(x + first, p.input.norm, first, k - first, scale);
      } else {
        part = LoadX<kAligned>(x + first, k - first);
      }
    }
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      MmaStep<kType>(d[i], cu::ld16_stream(rows[2 * i] + at), cu::ld16_stream(rows[2 * i + 1] + at),
                     part);
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
  const int chunks = NumChunks(k);
  const auto sum_of = [&](int row, int m) {
    float sum = sums[row * 9 + m];
    for (int chunk = 1; chunk < chunks; ++chunk) {
      sum += sums[(chunk * kTiles * 16 + row) * 9 + m];
    }
    return sum;
  };
  constexpr int kOutputs = kGates ? 16 : kTiles * 16;
  for (int i = static_cast<int>(threadIdx.x); i < kOutputs * 8; i += kSmallThreads) {
    const int row = i % kOutputs, m = i / kOutputs;
    const std::int64_t n = n0 + row;
    if (n >= outputs || m >= p.m) continue;
    if constexpr (kGates) {
      const float gate = Output(p, n, sum_of(row, m));
      const float up = Output(p, n + outputs, sum_of(row + 16, m));
      p.y.data[m * p.y.stride + n] = SiluTimes(gate, up);
    } else {
      WriteOutput(p, m, n, sum_of(row, m));
    }
  }
}

// ---- any number of rows: tiles through shared memory ----

inline constexpr int kTiledThreads = 256;
inline constexpr int kTileN = 128;  // rows of W a block
inline constexpr int kStages = 4;   // steps of 32 on their way

inline constexpr int kRoundThreads = 256;

// Eight elements of silu(a) b of a row, rounded to bf16; aligned.
__device__ __forceinline__ uint4 LoadGatedX(const float* x, std::int64_t k, std::int64_t left) {
  Float4 part[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    part[half] = Load4<true>(x + 4 * half, left - 4 * half);
    const Float4 up = Load4<true>(x + k + 4 * half, left - 4 * half);
#pragma unroll
    for (int j = 0; j < 4; ++j) part[half].v[j] = SiluTimes(part[half].v[j], up.v[j]);
  }
  const Float4 &a = part[0], &b = part[1];
  return uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
               cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])};
}

// x to bf16, [m, PaddedK(k)], zeros after k; made of what p.input tells. A block a row.
template <cuda::InputKind kKind, bool kAligned>
__global__ void __launch_bounds__(kRoundThreads) RoundRowsKernel(cuda::RoundRowsParams p) {
  CU_SHARED(float, parts, kNormWarps);
  CU_SHARED(float, scales, 1);
  const std::int64_t padded = cuda::PaddedK(p.k), m = blockIdx.x;
  const float* row = p.x.data + m * p.x.stride;
  bf16* out = static_cast<bf16*>(p.rounded) + m * padded;
  if constexpr (kKind == cuda::InputKind::kNormed) {
    const cuda::Rows x{const_cast<float*>(row), p.x.stride};
    NormScales<kRoundThreads>(x, 1, p.k, p.input.norm.eps, parts, scales);
  }
  for (std::int64_t i = std::int64_t{threadIdx.x} * 8; i < padded; i += kRoundThreads * 8) {
    if constexpr (kKind == cuda::InputKind::kNormed) {
      cu::st16(out + i, LoadNormedX(row + i, p.input.norm, i, p.k - i, scales[0]));
    } else if constexpr (kKind == cuda::InputKind::kGated) {
      cu::st16(out + i, LoadGatedX(row + i, p.k, p.k - i));
    } else {
      cu::st16(out + i, LoadX<kAligned>(row + i, p.k - i));
    }
  }
}

constexpr std::size_t TiledSharedBytes(int tile_m) {
  return std::size_t{kStages} * static_cast<std::size_t>(kTileN + tile_m) * 64;
}

// Behind x in scratch: the sums of the runs, [run][m][n], when blocks divide them.
__host__ __device__ __forceinline__ float* RunSums(const cuda::GemmParams& p) {
  return reinterpret_cast<float*>(static_cast<unsigned char*>(p.scratch) +
                                  p.m * cuda::PaddedK(p.weight.k) * 2);
}

// kTileM rows of x a block, 32 a warp; the warps that share them divide the rows of W. A row of a
// tile in shared memory is a step's 64 bytes: any 8 lanes of a load or copy touch 128 bytes in a
// row. grid: tiles of W, tiles of x, shares of the runs.
template <cuda::WeightType kType, int kTileM>
__global__ void __launch_bounds__(kTiledThreads) GemmTiledKernel(cuda::GemmParams p) {
  constexpr int kWarpsM = kTileM / 32, kWarpsN = kTiledThreads / 32 / kWarpsM;
  constexpr int kWarpTiles = kTileN / kWarpsN / 16;  // tiles of 16 rows of W a warp
  CU_SMEM(unsigned char, shared);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int g = lane / 4, t = lane % 4;
  const int warp_n = warp / kWarpsM * (kWarpTiles * 16), warp_m = warp % kWarpsM * 32;
  const std::int64_t n0 = std::int64_t{blockIdx.x} * kTileN, m0 = std::int64_t{blockIdx.y} * kTileM;
  const std::int64_t k = p.weight.k, padded = cuda::PaddedK(k);
  const auto* w = static_cast<const std::uint16_t*>(p.weight.data);
  const auto* x = static_cast<const std::uint16_t*>(p.scratch);
  const int per_chunk = StepsPerChunk(k);
  const bool is_divided = gridDim.z > 1;
  const int share = is_divided ? (NumChunks(k) + static_cast<int>(gridDim.z) - 1) /
                                     static_cast<int>(gridDim.z) * per_chunk
                               : static_cast<int>(padded / 32);
  const int begin = static_cast<int>(blockIdx.z) * share;
  const int steps = min(static_cast<int>(padded / 32), begin + share);

  const auto stage = [&](int step) { return shared + step % kStages * (kTileN + kTileM) * 64; };
  const auto fetch = [&](int step) {
    unsigned char* to = stage(step);
    for (int i = thread; i < (kTileN + kTileM) * 4; i += kTiledThreads) {
      const int row = i / 4;
      // Rows beyond the end repeat the last one; their outputs are not written.
      const std::int64_t at = row < kTileN ? n0 + row : m0 + row - kTileN;
      const std::int64_t limit = row < kTileN ? p.weight.n - 1 : p.m - 1;
      const std::uint16_t* from = (row < kTileN ? w : x) + (at < limit ? at : limit) * padded;
      cu::cp_async16(to + i * 16, from + std::int64_t{step} * 32 + i % 4 * 8);
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
          if (n < p.weight.n && m < p.m) put(n, m, i, j, c);
        }
      }
    }
  };

  float run[kWarpTiles][4][4] = {}, total[kWarpTiles][4][4] = {};
#pragma unroll
  for (int i = 0; i < kStages - 1; ++i) {
    if (begin + i < steps) fetch(begin + i);
    cu::cp_async_commit();
  }
  for (int step = begin; step < steps; ++step) {
    cu::cp_async_wait<kStages - 2>();
    __syncthreads();
    if (step + kStages - 1 < steps) fetch(step + kStages - 1);
    cu::cp_async_commit();

    const unsigned char* rows_w = stage(step) + (warp_n + g) * 64 + t * 16;
    const unsigned char* rows_x = stage(step) + (kTileN + warp_m + g) * 64 + t * 16;
    uint4 part[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) part[j] = cu::ld16(rows_x + j * 8 * 64);
#pragma unroll
    for (int i = 0; i < kWarpTiles; ++i) {
      const uint4 upper = cu::ld16(rows_w + i * 16 * 64);
      const uint4 lower = cu::ld16(rows_w + (i * 16 + 8) * 64);
#pragma unroll
      for (int j = 0; j < 4; ++j) MmaStep<kType>(run[i][j], upper, lower, part[j]);
    }
    if ((step + 1) % per_chunk == 0 || step + 1 == steps) {
      if (is_divided) {
        float* to = RunSums(p) + step / per_chunk * p.m * p.weight.n;
        at_outputs([&](std::int64_t n, std::int64_t m, int i, int j, int c) {
          to[m * p.weight.n + n] = run[i][j][c];
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

// ---- float32 weights: a warp one row of W and 8 rows of x; for tests and small models ----

inline constexpr int kF32Warps = 4;
inline constexpr int kGemmF32Rows = 8;

__global__ void __launch_bounds__(kF32Warps * 32) GemmF32Kernel(cuda::GemmParams p) {
  const std::int64_t n = std::int64_t{blockIdx.x} * kF32Warps + threadIdx.x / 32;
  if (n >= p.weight.n) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t k = p.weight.k, m0 = std::int64_t{blockIdx.y} * kGemmF32Rows;
  const float* w = static_cast<const float*>(p.weight.data) + n * cuda::PaddedK(k);
  float sum[kGemmF32Rows] = {};
  for (std::int64_t i = lane; i < k; i += 32) {
    const float weight = w[i];
#pragma unroll
    for (int m = 0; m < kGemmF32Rows; ++m) {
      if (m0 + m < p.m) sum[m] += weight * p.x.data[(m0 + m) * p.x.stride + i];
    }
  }
#pragma unroll
  for (int m = 0; m < kGemmF32Rows; ++m) {
    const float all = WarpReduce(sum[m], Sum{});
    if (lane == 0 && m0 + m < p.m) WriteOutput(p, m0 + m, n, all);
  }
}

// y for K == 0: the empty sum.
__global__ void __launch_bounds__(128) GemmEmptyKernel(cuda::GemmParams p) {
  const std::int64_t n = std::int64_t{blockIdx.x} * 128 + threadIdx.x;
  if (n < p.weight.n) WriteOutput(p, blockIdx.y, n, 0.0f);
}

}  // namespace sglrun::kernels::CU_WORLD
