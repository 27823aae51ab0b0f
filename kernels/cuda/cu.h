// The one header that kernels include. The same source is compiled three ways (README.md): by nvcc
// for the GPU, by any C++ compiler for the simulated device (sim/), and with the checker's hooks on
// top.
//
//   namespace sglrun::kernels::CU_WORLD {
//   __global__ void __launch_bounds__(128) AddKernel(float* x, const float* y, int n) {
//     const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
//     if (i < n) x[i] += y[i];
//   }
//   inline void Add(float* x, const float* y, int n, cu::stream stream) {
//     cu::launch(AddKernel, dim3((n + 127) / 128), dim3(128), 0, stream, x, y, n);
//   }
//   }
//
// A kernel uses the native names (threadIdx, __syncthreads, __shfl_xor_sync, atomicAdd, ...) and
// what is declared here; no <<<>>>, no PTX, no extern __shared__, no header of the toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sglrun::gpu {
// A stream of either runtime (gpu/runtime.h); null is the simulated device's "now" and CUDA's
// default stream.
struct StreamTag;
using Stream = StreamTag*;
}  // namespace sglrun::gpu

// Both worlds can be linked into one program: everything compiled twice lies in a namespace
// CU_WORLD.
#if defined(__CUDACC__)
#define CU_SIM 0
#define CU_WORLD gpu_world
#include "kernels/cuda/cu_device.h"
#else
#define CU_SIM 1
#define CU_WORLD sim_world
#include "kernels/cuda/sim/sim.h"
#endif

namespace sglrun::cu {

using stream = gpu::Stream;

inline namespace CU_WORLD {

__host__ __device__ __forceinline__ float f32_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

__host__ __device__ __forceinline__ std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return __builtin_bit_cast(std::uint32_t, value);
#endif
}

// bfloat16: the upper half of a float32.
struct bf16 {
  std::uint16_t bits;
};

__host__ __device__ __forceinline__ float to_f32(bf16 value) {
  return f32_of(std::uint32_t{value.bits} << 16);
}

// To nearest, ties to even; NaN stays NaN: the bits of tensor::FloatToBF16.
__host__ __device__ __forceinline__ bf16 to_bf16(float value) {
  const std::uint32_t u = bits_of(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) {
    return bf16{static_cast<std::uint16_t>((u >> 16) | 0x40u)};
  }
  return bf16{static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}

// Two bf16 in one word, the first in the low half.
__host__ __device__ __forceinline__ float low_f32(std::uint32_t pair) {
  return f32_of(pair << 16);
}
__host__ __device__ __forceinline__ float high_f32(std::uint32_t pair) {
  return f32_of(pair & 0xffff0000u);
}
__host__ __device__ __forceinline__ std::uint32_t pack_bf16(float low, float high) {
  return std::uint32_t{to_bf16(low).bits} | (std::uint32_t{to_bf16(high).bits} << 16);
}

// IEEE 754 binary16, converted with integers and exact float steps: the same bits in every world.
struct f16 {
  std::uint16_t bits;
};

__host__ __device__ __forceinline__ float to_f32(f16 value) {
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000u} << 16;
  const std::uint32_t rest = std::uint32_t{value.bits & 0x7fffu} << 13;
  const std::uint32_t exponent = rest & 0x0f800000u;
  if (exponent == 0x0f800000u) return f32_of(sign | (rest + 0x70000000u));  // inf, NaN
  // Exponents are rebased by a product with 2^112, which also makes subnormal numbers normal.
  return f32_of(sign | bits_of(f32_of(rest) * f32_of(0x77800000u)));
}

// To nearest, ties to even; too large becomes inf.
__host__ __device__ __forceinline__ f16 to_f16(float value) {
  const std::uint32_t u = bits_of(value);
  const std::uint32_t sign = (u >> 16) & 0x8000u;
  const std::uint32_t rest = u & 0x7fffffffu;
  std::uint32_t half = 0;
  if (rest > 0x7f800000u) {
    half = 0x7e00u;
  } else if (rest >= 0x477ff000u) {
    half = 0x7c00u;
  } else if (rest < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves the subnormal's bits, rounded, at the end of the fraction.
    half = bits_of(f32_of(rest) + 0.5f) - 0x3f000000u;
  } else {
    half = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  }
  return f16{static_cast<std::uint16_t>(sign | half)};
}

}  // namespace CU_WORLD
}  // namespace sglrun::cu
