// logprobs: one block per row. The sum of exponentials: float32 over 16 terms per thread, then
// float64, in an order fixed by the width. The best tokens: a radix descent for the last of them,
// then a bitonic sort of those alone.
#pragma once

#include "kernels/common/exp2_exact.h"
#include "kernels/cuda/radix.cuh"

namespace sglrun::kernels::CU_WORLD {

// log_softmax(z / T) of one row.
struct RowLogprobs {
  float max;
  double temperature, log_sum;

  __device__ __forceinline__ float Of(float z) const {
    constexpr double kLowest = -3.4028234663852886e38;
    // A row of nothing but -inf has no distribution: every entry is the lowest number.
    if (max == -INFINITY) return static_cast<float>(kLowest);
    const double value =
        (static_cast<double>(z) - static_cast<double>(max)) / temperature - log_sum;
    return static_cast<float>(value < kLowest ? kLowest : value);
  }
};

template <int kThreads>
__device__ __forceinline__ double SumExp(const float* z, std::int64_t width, float max,
                                         float scale) {
  double sum = 0;
  for (std::int64_t first = threadIdx.x; first < width; first += 16 * kThreads) {
    float part = 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const std::int64_t i = first + j * kThreads;
      // Equality keeps inf - inf out.
      if (i < width) part += z[i] == max ? 1.0f : exp2f((z[i] - max) * scale);
    }
    sum += static_cast<double>(part);
  }
  return sum;
}

// keys[0, size), size a power of two, into descending order.
template <int kThreads>
__device__ __forceinline__ void SortDescending(std::uint64_t* keys, int size) {
  for (int run = 2; run <= size; run *= 2) {
    for (int step = run / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < size / 2; i += kThreads) {
        const int low = i / step * (2 * step) + i % step, high = low + step;
        const std::uint64_t a = keys[low], b = keys[high];
        if ((a < b) == ((low & run) == 0)) {
          keys[low] = b;
          keys[high] = a;
        }
      }
    }
  }
  __syncthreads();
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads, 1) LogprobsKernel(cuda::LogprobsParams p) {
  CU_SHARED(float, largest, kThreads / 32);
  CU_SHARED(double, sums, kThreads / 32);
  CU_SHARED(unsigned, counts, kBuckets);
  CU_SHARED(unsigned, warps, 32);
  CU_SHARED(BucketHit, hit, 1);
  CU_SHARED(unsigned, used, 1);
  CU_SHARED(std::uint64_t, shared_keys, cuda::kLogprobsSharedTop);
  const std::int64_t row = blockIdx.x;
  if (p.active != nullptr && p.active[row] == 0) return;
  const float* z = p.logits.data + row * p.logits.stride;

  float max = -INFINITY;
  for (std::int64_t i = threadIdx.x; i < p.width; i += kThreads) max = fmaxf(max, z[i]);
  max = BlockReduce<kThreads>(max, Largest{}, largest);
  float scale = kLog2E / p.temperature[row];
  if (!(scale < 3.4028234663852886e38f)) scale = 3.4028234663852886e38f;
  const double sum = BlockReduce<kThreads>(SumExp<kThreads>(z, p.width, max, scale), Sum{}, sums);
  const RowLogprobs logprobs{max, static_cast<double>(p.temperature[row]), log(sum)};

  if (p.ask_begin != nullptr) {
    for (int i = p.ask_begin[row] + static_cast<int>(threadIdx.x); i < p.ask_begin[row + 1];
         i += kThreads) {
      p.ask_logprobs[i] = logprobs.Of(z[p.ask_ids[i]]);
    }
  }
  if (p.top_begin == nullptr || p.top_begin[row] == p.top_begin[row + 1]) return;

  const int begin = p.top_begin[row], top = p.top_begin[row + 1] - begin;
  const auto key = [&](std::int64_t i) { return RankKey(z[i], static_cast<std::uint32_t>(i)); };
  const std::uint64_t least =
      SelectLargest<kThreads>(p.width, static_cast<unsigned>(top), counts, warps, hit, key);
  std::uint64_t* keys = top <= static_cast<int>(cuda::kLogprobsSharedTop)
                            ? shared_keys
                            : p.scratch + row * cuda::LogprobsScratchTop(p.max_top);
  int size = 1;
  while (size < top) size *= 2;
  if (threadIdx.x == 0) *used = 0;
  for (int i = top + static_cast<int>(threadIdx.x); i < size; i += kThreads) keys[i] = 0;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < p.width; i += kThreads) {
    const std::uint64_t k = key(i);
    if (k >= least) keys[atomicAdd(used, 1u)] = k;
  }
  SortDescending<kThreads>(keys, size);
  for (int i = static_cast<int>(threadIdx.x); i < top; i += kThreads) {
    const std::uint32_t id = 0xffffffffu - static_cast<std::uint32_t>(keys[i]);
    p.top_ids[begin + i] = static_cast<std::int32_t>(id);
    p.top_logprobs[begin + i] = logprobs.Of(z[id]);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
