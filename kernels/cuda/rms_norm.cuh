// rms_norm: a block a vector. The vector stays in registers between the sum and the product; only
// vectors longer than kThreads * kItems * 4 are read twice (kItems == 0). The order of the sum
// depends on the vector's length alone.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

template <int kThreads, int kItems, bool kAligned>
__global__ void __launch_bounds__(kThreads) RmsNormKernel(cuda::RmsNormParams p) {
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
    Float4 v = Load4<kAligned>(x + i, p.size - i);
    if (add != nullptr) {
      const Float4 more = Load4<kAligned>(add + i, p.size - i);
#pragma unroll
      for (int j = 0; j < 4; ++j) v.v[j] += more.v[j];
      Store4<kAligned>(x + i, v, p.size - i);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) squares += v.v[j] * v.v[j];
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
  const float scale = rsqrtf(squares / static_cast<float>(p.size) + p.eps);
  const auto write = [&](std::int64_t i, Float4 v) {
    const std::int64_t left = p.size - i;
    const Float4 weight = Load4<kAligned>(p.weight + i, left);
#pragma unroll
    for (int j = 0; j < 4; ++j) v.v[j] *= scale * (weight.v[j] + p.weight_offset);
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

}  // namespace sglrun::kernels::CU_WORLD
