// What the products on the tensor cores share: K in runs that are summed one by one, the runs' sums
// added in order.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kChunks = 8;  // runs at most

__host__ __device__ __forceinline__ int StepsOfARun(std::int64_t steps) {
  return static_cast<int>((steps + kChunks - 1) / kChunks);
}
__host__ __device__ __forceinline__ int RunsOf(std::int64_t steps) {
  const std::int64_t per_chunk = StepsOfARun(steps);
  return static_cast<int>((steps + per_chunk - 1) / per_chunk);
}

__device__ __forceinline__ float Output(const cuda::GemmParams& p, std::int64_t n, float sum) {
  return cu::mul_exact(p.alpha, p.bias != nullptr ? sum + p.bias[n] : sum);
}
__device__ __forceinline__ void WriteOutput(const cuda::GemmParams& p, std::int64_t m,
                                            std::int64_t n, float sum) {
  sum = Output(p, n, sum);
  float* y = p.y.data + m * p.y.stride + n;
  *y = p.accumulate ? cu::add_exact(sum, *y) : sum;
}

// Where blocks divide the runs of a tile: their sums [run][m][n], added in order. A template so
// that both products have it.
template <class Params>
__global__ void __launch_bounds__(128) AddRunsKernel(Params p, const float* sums, int runs) {
  const std::int64_t n = std::int64_t{blockIdx.x} * 128 + threadIdx.x;
  if (n >= p.weight.n) return;
  const std::int64_t m = blockIdx.y;
  const float* from = sums + m * p.weight.n + n;
  float sum = from[0];
  for (std::int64_t run = 1; run < runs; ++run) sum += from[run * p.m * p.weight.n];
  WriteOutput(p, m, n, sum);
}

}  // namespace sglrun::kernels::CU_WORLD
