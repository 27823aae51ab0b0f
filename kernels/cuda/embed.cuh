// embed, gather_rows and pack_rows: rows that move from one place to another, some changing their
// type.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kCopyThreads = 128;

// A block copies one row; weights are read 16 bytes at a time, their rows are padded to that.
template <bool kAligned>
__global__ void __launch_bounds__(kCopyThreads) EmbedKernel(cuda::EmbedParams p) {
  const std::int64_t k = p.weight.k, padded = cuda::PaddedK(k);
  float* out = p.out.data + std::int64_t{blockIdx.x} * p.out.stride;
  const std::int64_t row = p.ids[blockIdx.x] * padded;
  if (p.weight.type == cuda::WeightType::kF32) {
    const float* in = static_cast<const float*>(p.weight.data) + row;
    for (std::int64_t i = std::int64_t{threadIdx.x} * 4; i < k; i += kCopyThreads * 4) {
      Float4 x = Load4<true>(in + i, 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x.v[j] *= p.scale;
      Store4<kAligned>(out + i, x, k - i);
    }
    return;
  }
  const auto* in = static_cast<const std::uint16_t*>(p.weight.data) + row;
  const bool is_bf16 = p.weight.type == cuda::WeightType::kBF16;
  for (std::int64_t i = std::int64_t{threadIdx.x} * 8; i < k; i += kCopyThreads * 8) {
    const uint4 raw = cu::ld16(in + i);
    const std::uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
    Float4 x[2];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const auto half = static_cast<std::uint16_t>(words[j / 2] >> (j % 2 * 16));
      x[j / 4].v[j % 4] = p.scale * (is_bf16 ? cu::to_f32(bf16{half}) : cu::to_f32(f16{half}));
    }
    Store4<kAligned>(out + i, x[0], k - i);
    Store4<kAligned>(out + i + 4, x[1], k - i - 4);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kCopyThreads) GatherRowsKernel(cuda::GatherRowsParams p) {
  const float* in = p.in.data + p.rows[blockIdx.x] * p.in.stride;
  float* out = p.out.data + std::int64_t{blockIdx.x} * p.out.stride;
  for (std::int64_t i = std::int64_t{threadIdx.x} * 4; i < p.width; i += kCopyThreads * 4) {
    Store4<kAligned>(out + i, Load4<kAligned>(in + i, p.width - i), p.width - i);
  }
}

// Used at load, where the copy from the host limits the speed.
__global__ void __launch_bounds__(kCopyThreads) PackRowsKernel(cuda::PackRowsParams p) {
  const std::int64_t padded = cuda::PaddedK(p.weight.k);
  const float* in = p.rows.data + std::int64_t{blockIdx.x} * p.rows.stride;
  const std::int64_t row = (p.first_row + std::int64_t{blockIdx.x}) * padded;
  void* data = const_cast<void*>(p.weight.data);
  for (std::int64_t i = threadIdx.x; i < padded; i += kCopyThreads) {
    const float x = i < p.weight.k ? in[i] : 0.0f;
    switch (p.weight.type) {
      case cuda::WeightType::kF32:
        static_cast<float*>(data)[row + i] = x;
        break;
      case cuda::WeightType::kBF16:
        static_cast<bf16*>(data)[row + i] = cu::to_bf16(x);
        break;
      case cuda::WeightType::kF16:
        static_cast<f16*>(data)[row + i] = cu::to_f16(x);
        break;
      default:
        break;
    }
  }
}

}  // namespace sglrun::kernels::CU_WORLD
