// activation: one pass, four elements a thread.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kActivationThreads = 128;

template <ActivationKind kKind>
__device__ __forceinline__ float Activated(float a, float cap) {
  if constexpr (kKind == ActivationKind::kSilu) {
    return Silu(a);
  } else if constexpr (kKind == ActivationKind::kGelu) {
    return 0.5f * a * erfcf(-0.70710678f * a);
  } else if constexpr (kKind == ActivationKind::kGeluTanh) {
    // (1 + tanh(u)) / 2 is 1 / (1 + exp(-2 u)).
    return a / (1.0f + expf(-1.59576912f * (a + 0.044715f * a * a * a)));
  } else if constexpr (kKind == ActivationKind::kRelu) {
    return a < 0 ? 0.0f : a;
  } else if constexpr (kKind == ActivationKind::kRelu2) {
    return a < 0 ? 0.0f : a * a;
  } else {
    return cap * tanhf(a / cap);
  }
}

template <ActivationKind kKind, bool kAligned>
__global__ void __launch_bounds__(kActivationThreads) ActivationKernel(cuda::ActivationParams p) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * kActivationThreads + threadIdx.x) * 4;
  const std::int64_t left = p.size - i;
  if (left <= 0) return;
  const float* x = p.x.data + std::int64_t{blockIdx.y} * p.x.stride + i;
  Float4 a = Load4<kAligned>(x, left);
#pragma unroll
  for (int j = 0; j < 4; ++j) a.v[j] = Activated<kKind>(a.v[j], p.cap);
  if (p.gated) {
    const Float4 b = Load4<kAligned>(x + p.size, left);
#pragma unroll
    for (int j = 0; j < 4; ++j) a.v[j] = cu::mul_exact(a.v[j], b.v[j]);
  }
  Store4<kAligned>(p.y.data + std::int64_t{blockIdx.y} * p.y.stride + i, a, left);
}

}  // namespace sglrun::kernels::CU_WORLD
