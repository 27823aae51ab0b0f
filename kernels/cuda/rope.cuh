// rope and store_kv: a warp a head. cos and sin come from a float32 table, the same on every
// backend.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kHeadWarps = 4;

__global__ void __launch_bounds__(kHeadWarps * 32) RopeKernel(cuda::RopeParams p) {
  const std::int64_t item = std::int64_t{blockIdx.x} * kHeadWarps + threadIdx.x / 32;
  if (item >= p.tokens * p.heads) return;
  const std::int64_t token = item / p.heads;
  float* x = p.x.data + token * p.x.stride + item % p.heads * p.head_dim;
  const std::int32_t* positions = p.positions + token * p.positions_per_token;
  for (std::int64_t i = threadIdx.x % 32; i < p.half; i += 32) {
    const std::int64_t position = positions[p.axis != nullptr ? p.axis[i] : 0];
    const float cos = p.cos_table[position * p.table_stride + i];
    const float sin = p.sin_table[position * p.table_stride + i];
    const float a = x[i], b = x[i + p.half];
    x[i] = a * cos - b * sin;
    x[i + p.half] = b * cos + a * sin;
  }
}

// A thread eight elements: 16 bytes of a bf16 cache.
template <bool kAligned>
__global__ void __launch_bounds__(kHeadWarps * 32) StoreKvKernel(cuda::StoreKvParams p) {
  const std::int64_t width = std::int64_t{p.cache.heads} * p.cache.head_dim;
  const std::int64_t slot = p.slots[blockIdx.x];
  const std::int64_t page = slot / kPageSize * (2 * kPageSize * width);
  const bool is_value = blockIdx.y == 1;
  const cuda::Rows& rows = is_value ? p.v : p.k;
  const float* in = rows.data + std::int64_t{blockIdx.x} * rows.stride;
  const std::int64_t to = page + (is_value ? kPageSize * width : 0) + slot % kPageSize * width;
  for (std::int64_t i = std::int64_t{threadIdx.x} * 8; i < width; i += kHeadWarps * 32 * 8) {
    const Float4 a = Load4<kAligned>(in + i, 4), b = Load4<kAligned>(in + i + 4, 4);
    if (p.cache.is_bf16) {
      cu::st16(static_cast<bf16*>(p.cache.data) + to + i,
               uint4{cu::pack_bf16(a.v[0], a.v[1]), cu::pack_bf16(a.v[2], a.v[3]),
                     cu::pack_bf16(b.v[0], b.v[1]), cu::pack_bf16(b.v[2], b.v[3])});
    } else {
      float* out = static_cast<float*>(p.cache.data) + to + i;
      Store4<true>(out, a, 4);
      Store4<true>(out + 4, b, 4);
    }
  }
}

}  // namespace sglrun::kernels::CU_WORLD
