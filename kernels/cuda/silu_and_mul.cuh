// silu_and_mul: one pass, four elements a thread.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kSiluThreads = 128;

template <bool kAligned>
__global__ void __launch_bounds__(kSiluThreads) SiluAndMulKernel(cuda::SiluAndMulParams p) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * kSiluThreads + threadIdx.x) * 4;
  const std::int64_t left = p.size - i;
  if (left <= 0) return;
  const float* x = p.x.data + std::int64_t{blockIdx.y} * p.x.stride + i;
  Float4 a = Load4<kAligned>(x, left);
  const Float4 b = Load4<kAligned>(x + p.size, left);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    a.v[j] = SiluTimes(a.v[j], b.v[j]);
  }
  Store4<kAligned>(p.y.data + std::int64_t{blockIdx.y} * p.y.stride + i, a, left);
}

}  // namespace sglrun::kernels::CU_WORLD
