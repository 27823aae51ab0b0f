// norm: a block a vector. For kRms the vector stays in registers between the sum and the product;
// only vectors longer than kThreads * kItems * 4 are read twice (kItems == 0). The order of a sum
// depends on the vector's length alone.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

// ---- shared by all kernels that have a norm in them ----

// The threads of a block that add the squares of a vector; each takes four elements at a time.
__host__ __device__ __forceinline__ constexpr int NormThreads(std::int64_t size) {
  return size <= 256 ? 32 : size <= 1024 ? 128 : size <= 8192 ? 512 : 1024;
}

__device__ __forceinline__ float AddSquares(const Float4& v, float squares) {
#pragma unroll
  for (int j = 0; j < 4; ++j) squares = cu::add_exact(squares, cu::mul_exact(v.v[j], v.v[j]));
  return squares;
}

__device__ __forceinline__ float NormScale(float squares, std::int64_t size, float eps) {
  return rsqrtf(cu::add_exact(squares / static_cast<float>(size), eps));
}

__device__ __forceinline__ float Normed(float x, float scale, float weight) {
  return cu::mul_exact(x, cu::mul_exact(scale, weight));
}

// The scales of aligned vectors, by all warps of a block of kThreads: each does the
// work of warps of RmsNormKernel, whose sums are then added in the same order. Ends in a barrier.
template <int kThreads>
__device__ __forceinline__ void NormScales(const cuda::Rows& x, int rows, std::int64_t size,
                                           float eps, float* parts, float* scales) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = NormThreads(size) / 32;
  for (int item = static_cast<int>(threadIdx.x) / 32; item < rows * warps; item += kThreads / 32) {
    const float* row = x.data + item / warps * x.stride;
    float squares = 0;
    for (std::int64_t i = (item % warps * 32 + lane) * 4; i < size; i += warps * 32 * 4) {
      squares = AddSquares(Load4<true>(row + i, size - i), squares);
    }
    squares = WarpReduce(squares, Sum{});
    if (lane == 0) parts[item] = squares;
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < rows) {
    const float* sums = parts + static_cast<int>(threadIdx.x) * warps;
    float squares = sums[0];
    for (int warp = 1; warp < warps; ++warp) squares += sums[warp];
    scales[threadIdx.x] = NormScale(squares, size, eps);
  }
  __syncthreads();
}
inline constexpr int kNormWarps = 32;  // at most, a row: of `parts`

// ---- the norm alone ----

// Elements i to i + 3 of x, as far as it has them, to which those of `add` are added first;
// nullptr: none.
template <bool kAligned>
__device__ __forceinline__ Float4 AddIn(float* x, const float* add, std::int64_t i,
                                        std::int64_t size) {
  Float4 v = Load4<kAligned>(x + i, size - i);
  if (add != nullptr) {
    const Float4 more = Load4<kAligned>(add + i, size - i);
#pragma unroll
    for (int j = 0; j < 4; ++j) v.v[j] += more.v[j];
    Store4<kAligned>(x + i, v, size - i);
  }
  return v;
}

template <int kThreads, int kItems, bool kAligned>
__global__ void __launch_bounds__(kThreads) RmsNormKernel(cuda::NormParams p) {
  CU_SHARED(float, sums, kThreads / 32);
  const std::int64_t token = std::int64_t{blockIdx.x} / p.groups;
  const std::int64_t begin = std::int64_t{blockIdx.x} % p.groups * p.size;
  float* x = p.x.data + token * p.x.stride + begin;
  const float* add = p.add.data != nullptr ? p.add.data + token * p.add.stride + begin : nullptr;
  float* y = p.y.data + token * p.y.stride + begin;
  const std::int64_t first = std::int64_t{threadIdx.x} * 4;
  constexpr std::int64_t kStep = kThreads * 4;

  float squares = 0;
  Float4 kept[kItems > 0 ? kItems : 1];
  const auto read = [&](std::int64_t i) {
    const Float4 v = AddIn<kAligned>(x, add, i, p.size);
    squares = AddSquares(v, squares);
    return v;
  };
  if constexpr (kItems > 0) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const std::int64_t i = first + item * kStep;
      if (i < p.size) kept[item] = read(i);
    }
  } else {
    for (std::int64_t i = first; i < p.size; i += kStep) read(i);
  }

  squares = BlockReduce<kThreads>(squares, Sum{}, sums);
  const float scale = NormScale(squares, p.size, p.eps);
  const auto write = [&](std::int64_t i, Float4 v) {
    const std::int64_t left = p.size - i;
    const Float4 weight = Load4<kAligned>(p.weight + i, left);
#pragma unroll
    for (int j = 0; j < 4; ++j) v.v[j] = Normed(v.v[j], scale, weight.v[j]);
    Store4<kAligned>(y + i, v, left);
  };
  if constexpr (kItems > 0) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const std::int64_t i = first + item * kStep;
      if (i < p.size) write(i, kept[item]);
    }
  } else {
    for (std::int64_t i = first; i < p.size; i += kStep) {
      write(i, Load4<kAligned>(x + i, p.size - i));
    }
  }
}

// ---- kLayer ----

// Reads a vector three times: for its mean, for the distances from it, for what is written.
template <int kThreads, bool kAligned>
__global__ void __launch_bounds__(kThreads) LayerNormKernel(cuda::NormParams p) {
  CU_SHARED(float, sums, kThreads / 32);
  CU_SHARED(float, squares, kThreads / 32);
  const std::int64_t token = std::int64_t{blockIdx.x} / p.groups;
  const std::int64_t begin = std::int64_t{blockIdx.x} % p.groups * p.size;
  float* x = p.x.data + token * p.x.stride + begin;
  const float* add = p.add.data != nullptr ? p.add.data + token * p.add.stride + begin : nullptr;
  float* y = p.y.data + token * p.y.stride + begin;
  const std::int64_t first = std::int64_t{threadIdx.x} * 4;
  constexpr std::int64_t kStep = kThreads * 4;

  float sum = 0;
  for (std::int64_t i = first; i < p.size; i += kStep) {
    const Float4 v = AddIn<kAligned>(x, add, i, p.size);
#pragma unroll
    for (int j = 0; j < 4; ++j) sum = cu::add_exact(sum, v.v[j]);
  }
  const auto count = static_cast<float>(p.size);
  const float mean = BlockReduce<kThreads>(sum, Sum{}, sums) / count;

  float square_sum = 0;
  for (std::int64_t i = first; i < p.size; i += kStep) {
    Float4 v = Load4<kAligned>(x + i, p.size - i);
#pragma unroll
    for (int j = 0; j < 4; ++j) v.v[j] = i + j < p.size ? v.v[j] - mean : 0.0f;
    square_sum = AddSquares(v, square_sum);
  }
  const float all = BlockReduce<kThreads>(square_sum, Sum{}, squares);
  const float scale = NormScale(all, p.size, p.eps);
  for (std::int64_t i = first; i < p.size; i += kStep) {
    const std::int64_t left = p.size - i;
    Float4 v = Load4<kAligned>(x + i, left);
    const Float4 weight = Load4<kAligned>(p.weight + i, left);
    Float4 bias{{0, 0, 0, 0}};
    if (p.bias != nullptr) bias = Load4<kAligned>(p.bias + i, left);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      v.v[j] = cu::add_exact(Normed(v.v[j] - mean, scale, weight.v[j]), bias.v[j]);
    }
    Store4<kAligned>(y + i, v, left);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
