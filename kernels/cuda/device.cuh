// What several kernels share: four floats at a time, sums over a block in a fixed tree.
#pragma once

#include <cmath>

#include "kernels/cuda/cu.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::CU_WORLD {

using cu::bf16;
using cu::f16;

struct Float4 {
  float v[4];
};

// Four floats from p, of which `left` exist; the others are 0. kAligned: p is 16-byte aligned.
template <bool kAligned>
__device__ __forceinline__ Float4 Load4(const float* p, std::int64_t left) {
  Float4 x{{0, 0, 0, 0}};
  if (kAligned && left >= 4) {
    const uint4 word = cu::ld16(p);
    x = {{cu::f32_of(word.x), cu::f32_of(word.y), cu::f32_of(word.z), cu::f32_of(word.w)}};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < left) x.v[i] = p[i];
    }
  }
  return x;
}

template <bool kAligned>
__device__ __forceinline__ void Store4(float* p, const Float4& x, std::int64_t left) {
  if (kAligned && left >= 4) {
    cu::st16(p, uint4{cu::bits_of(x.v[0]), cu::bits_of(x.v[1]), cu::bits_of(x.v[2]),
                      cu::bits_of(x.v[3])});
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < left) p[i] = x.v[i];
    }
  }
}

struct Sum {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Largest {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

// Every lane gets the same bits: the tree is symmetric.
template <class T, class Op>
__device__ __forceinline__ T WarpReduce(T value, Op op) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = op(value, __shfl_xor_sync(0xffffffffu, value, lanes));
  }
  return value;
}

// For all threads of a block of kThreads; `shared` holds kThreads / 32 values and is free for the
// next use after a barrier.
template <int kThreads, class T, class Op>
__device__ __forceinline__ T BlockReduce(T value, Op op, T* shared) {
  static_assert(kThreads % 32 == 0);
  value = WarpReduce(value, op);
  if constexpr (kThreads > 32) {
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    value = shared[0];
#pragma unroll
    for (int warp = 1; warp < kThreads / 32; ++warp) value = op(value, shared[warp]);
  }
  return value;
}

__device__ __forceinline__ float Silu(float a) {
  return a / cu::add_exact(1.0f, expf(-a));
}

// One element of silu(a) b.
__device__ __forceinline__ float SiluTimes(float a, float b) {
  return cu::mul_exact(Silu(a), b);
}

}  // namespace sglrun::kernels::CU_WORLD
