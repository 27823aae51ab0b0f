// logits_process: one block per row, two passes over it: one looks for NaN (such a row is left
// alone), one applies the grammar mask and counts what is finite. Penalties, bans and bias touch
// only the tokens they name, between and after the passes.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

// Neither an infinity nor NaN.
__device__ __forceinline__ bool IsFinite(float z) {
  return (cu::bits_of(z) & 0x7f800000u) != 0x7f800000u;
}
__device__ __forceinline__ bool IsNaN(float z) {
  return (cu::bits_of(z) & 0x7fffffffu) > 0x7f800000u;
}

// Steps 1, 2 and 4 on one logit; every step rounds on its own, as on the other shelves.
__device__ __forceinline__ float Penalize(float z, float count, float frequency, float presence,
                                          float repetition) {
  z = cu::add_exact(z, -cu::mul_exact(frequency, count));
  z = cu::add_exact(z, -presence);
  return z < 0 ? cu::mul_exact(z, repetition) : z / repetition;
}

template <int kThreads>
__device__ __forceinline__ int CountAll(int mine, int* shared) {
  __syncthreads();  // of the use before
  return BlockReduce<kThreads>(mine, Sum{}, shared);
}

// Applies the mask, 32 logits per word of it; returns how many finite logits remain.
template <int kThreads>
__device__ __forceinline__ int MaskRow(float* z, std::int64_t width, const std::uint32_t* mask) {
  int finite = 0;
  for (std::int64_t i = threadIdx.x; i < width; i += kThreads) {
    const bool allowed = mask == nullptr || ((mask[i / 32] >> (i % 32)) & 1u) != 0;
    if (!allowed) {
      z[i] = -INFINITY;
    } else if (IsFinite(z[i])) {
      ++finite;
    }
  }
  return finite;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) LogitsProcessKernel(cuda::LogitsProcessParams p) {
  CU_SHARED(int, counts, kThreads / 32);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = blockIdx.x;
  float* z = p.logits.data + row * p.logits.stride;

  int bad = 0;
  for (std::int64_t i = thread; i < p.width; i += kThreads) bad |= IsNaN(z[i]) ? 1 : 0;
  if (__syncthreads_or(bad) != 0) {
    if (thread == 0) p.status[row] = 1;  // RowStatus::kNaN
    return;
  }

  if (p.count_begin != nullptr) {
    for (int i = p.count_begin[row] + thread; i < p.count_begin[row + 1]; i += kThreads) {
      float& value = z[p.count_ids[i]];
      value = Penalize(value, static_cast<float>(p.counts[i]), p.frequency_penalty[row],
                       p.presence_penalty[row], p.repetition_penalty[row]);
    }
    __syncthreads();
  }

  const bool masked = p.mask_line != nullptr && p.mask_line[row] >= 0;
  const std::uint32_t* mask = masked ? p.mask + p.mask_line[row] * p.mask_stride : nullptr;
  int finite = CountAll<kThreads>(MaskRow<kThreads>(z, p.width, mask), counts);

  if (p.ban_begin != nullptr && p.ban_begin[row] < p.ban_begin[row + 1]) {
    // A token that is listed twice is -inf at the second visit: each old value is saved once.
    int lost = 0;
    for (int i = p.ban_begin[row] + thread; i < p.ban_begin[row + 1]; i += kThreads) {
      p.ban_saved[i] = atomicExch(&z[p.ban_ids[i]], -INFINITY);
      lost += IsFinite(p.ban_saved[i]) ? 1 : 0;
    }
    lost = CountAll<kThreads>(lost, counts);
    if (lost == finite) {
      for (int i = p.ban_begin[row] + thread; i < p.ban_begin[row + 1]; i += kThreads) {
        if (p.ban_saved[i] != -INFINITY) z[p.ban_ids[i]] = p.ban_saved[i];
      }
    } else {
      finite -= lost;
    }
    __syncthreads();
  }

  if (p.bias_begin != nullptr) {
    int change = 0;  // a sum may leave the range of float32
    for (int i = p.bias_begin[row] + thread; i < p.bias_begin[row + 1]; i += kThreads) {
      float& value = z[p.bias_ids[i]];
      if (value == -INFINITY) continue;
      const bool before = IsFinite(value);
      value = cu::add_exact(value, p.bias_values[i]);
      change += static_cast<int>(IsFinite(value)) - static_cast<int>(before);
    }
    finite += CountAll<kThreads>(change, counts);
  }
  if (thread == 0) p.status[row] = finite > 0 ? 0 : 2;  // kOk, kNoneLeft
}

}  // namespace sglrun::kernels::CU_WORLD
