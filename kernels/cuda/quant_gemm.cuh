// gemm and embed with quantised weights (quant_weight.h). x is rounded to signed bytes by the
// group, as kernels/common/quantize.h does, so that the products of a group are exact integers;
// only their scaled sums are float32. A lane takes every 32nd block of 32 columns, then the warp
// adds up in a tree: an order fixed by K alone.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/quant_weight.h"

namespace sglrun::kernels::CU_WORLD {

// x as integers in scratch: codes [m, PaddedK(k)], then scales and sums [m, PaddedK(k) / group].
struct RoundedX {
  std::int8_t* codes;
  float* scales;
  std::int32_t* sums;
};
__host__ __device__ __forceinline__ RoundedX RoundedXOf(const cuda::GemmParams& p) {
  const std::int64_t padded = cuda::PaddedK(p.weight.k);
  auto* codes = static_cast<std::int8_t*>(p.scratch);
  auto* scales = reinterpret_cast<float*>(codes + p.m * padded);
  return {codes, scales, reinterpret_cast<std::int32_t*>(scales + p.m * (padded / p.weight.group))};
}

// RoundActivations of common/quantize.h, a thread a group.
template <int kGroup>
__global__ void __launch_bounds__(128) RoundGroupsKernel(cuda::GemmParams p) {
  const std::int64_t padded = cuda::PaddedK(p.weight.k), groups = padded / kGroup;
  const std::int64_t item = std::int64_t{blockIdx.x} * 128 + threadIdx.x;
  if (item >= p.m * groups) return;
  const std::int64_t m = item / groups, first = item % groups * kGroup;
  const float* x = p.x.data + m * p.x.stride + first;
  float values[kGroup];
  std::uint32_t most = 0;  // bits of the largest magnitude
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    values[i] = first + i < p.weight.k ? x[i] : 0.0f;
    most = max(most, cu::bits_of(values[i]) & 0x7fffffffu);
  }
  const float largest = cu::f32_of(most);
  const bool is_bad = most >= 0x7f800000u;  // an infinity or NaN
  const bool is_zero = is_bad || largest < 0x1p-100f;
  const float inverse = is_zero ? 0.0f : 127.0f / largest;
  const RoundedX to = RoundedXOf(p);
  std::int32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kGroup; i += 4) {
    std::uint32_t word = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      // Adding 1.5 * 2^23 rounds to the nearest integer, ties to even.
      const float rounded = cu::add_exact(cu::mul_exact(values[i + j], inverse), 12582912.0f);
      const std::int32_t code =
          is_zero ? 0 : static_cast<std::int32_t>(cu::bits_of(rounded) - 0x4b400000u);
      sum += code;
      word |= (static_cast<std::uint32_t>(code) & 0xffu) << (8 * j);
    }
    *reinterpret_cast<std::uint32_t*>(to.codes + m * padded + first + i) = word;
  }
  to.scales[item] = is_bad ? cu::f32_of(0x7fc00000u) : is_zero ? 0.0f : largest / 127.0f;
  to.sums[item] = sum;
}

__device__ __forceinline__ float LoadScale(const unsigned char* scales, std::int64_t index,
                                           bool is_wide) {
  if (is_wide) return reinterpret_cast<const float*>(scales)[index];
  return cu::to_f32(reinterpret_cast<const f16*>(scales)[index]);
}

// The 32 codes of a block as signed bytes.
template <int kBits>
__device__ __forceinline__ void LoadCodes(const unsigned char* row, std::int64_t block,
                                          std::uint32_t (&words)[8]) {
  const uint4 a = cu::ld16_stream(row + block * (4 * kBits));
  const std::uint32_t first[4] = {a.x, a.y, a.z, a.w};
  if constexpr (kBits == 8) {
    const uint4 b = cu::ld16_stream(row + block * 32 + 16);
    const std::uint32_t second[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      words[i] = first[i];
      words[4 + i] = second[i];
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      words[i] = first[i] & 0x0f0f0f0fu;
      words[4 + i] = (first[i] >> 4) & 0x0f0f0f0fu;
    }
  }
}

inline constexpr int kQuantWarps = 4;

// A warp kRows rows of W and kM rows of x.
template <int kBits, int kGroup, int kRows, int kM>
__global__ void __launch_bounds__(kQuantWarps * 32, 1)
    QuantGemmKernel(cuda::GemmParams p, std::size_t scales_at, std::size_t minima_at) {
  constexpr int kParts = 32 / kGroup;  // groups in a block
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t n0 = (std::int64_t{blockIdx.x} * kQuantWarps + threadIdx.x / 32) * kRows;
  if (n0 >= p.weight.n) return;
  const std::int64_t m0 = std::int64_t{blockIdx.y} * kM;
  const std::int64_t k = p.weight.k, padded = cuda::PaddedK(k), blocks = padded / 32;
  const std::int64_t groups = (k + kGroup - 1) / kGroup;
  const auto* data = static_cast<const unsigned char*>(p.weight.data);
  const RoundedX x = RoundedXOf(p);
  const int offset = cuda::CodeOffset(p.weight.type, p.weight.minima);

  float sum[kRows][kM] = {};
  for (std::int64_t block = lane; block < blocks; block += 32) {
    std::uint32_t codes[kRows][8];
    float scale[kRows][kParts], minimum[kRows][kParts];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t n = n0 + r < p.weight.n ? n0 + r : p.weight.n - 1;
      LoadCodes<kBits>(data + n * (padded / 8 * kBits), block, codes[r]);
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const std::int64_t group = block * kParts + part;
        scale[r][part] = minimum[r][part] = 0;
        if (group >= groups) continue;  // behind the end of K
        scale[r][part] = LoadScale(data + scales_at, n * groups + group, p.weight.wide_scales);
        if (!p.weight.minima) continue;
        minimum[r][part] = LoadScale(data + minima_at, n * groups + group, p.weight.wide_scales);
      }
    }
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      if (m0 + m >= p.m) break;
      const std::int8_t* from = x.codes + (m0 + m) * padded + block * 32;
      const uint4 a = cu::ld16(from), b = cu::ld16(from + 16);
      const std::uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const std::int64_t at = ((m0 + m) * blocks + block) * kParts + part;
        const float x_scale = x.scales[at];
        const int x_sum = x.sums[at];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          int products = offset * x_sum;
#pragma unroll
          for (int i = 0; i < 8 / kParts; ++i) {
            products = cu::dot4(codes[r][part * (8 / kParts) + i], words[part * (8 / kParts) + i],
                                products);
          }
          float scaled = cu::mul_exact(scale[r][part], static_cast<float>(products));
          if (p.weight.minima) {
            scaled = fmaf(minimum[r][part], static_cast<float>(x_sum), scaled);
          }
          sum[r][m] = fmaf(x_scale, scaled, sum[r][m]);
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      const float all = WarpReduce(sum[r][m], Sum{});
      if (lane != 0 || n0 + r >= p.weight.n || m0 + m >= p.m) continue;
      float* y = p.y.data + (m0 + m) * p.y.stride + n0 + r;
      const float biased = p.bias != nullptr ? all + p.bias[n0 + r] : all;
      *y = p.accumulate ? biased + *y : biased;
    }
  }
}

// A block a row; every step rounds on its own, as in the contract of the weight.
__global__ void __launch_bounds__(128)
    QuantEmbedKernel(cuda::EmbedParams p, std::size_t scales_at, std::size_t minima_at) {
  const cuda::Weight& w = p.weight;
  const std::int64_t padded = cuda::PaddedK(w.k), groups = (w.k + w.group - 1) / w.group;
  const auto* data = static_cast<const unsigned char*>(w.data);
  const std::int64_t row = p.ids[blockIdx.x];
  const int offset = cuda::CodeOffset(w.type, w.minima);
  for (std::int64_t i = threadIdx.x; i < w.k; i += 128) {
    int code = 0;
    if (w.type == cuda::WeightType::kI8) {
      code = reinterpret_cast<const std::int8_t*>(data)[row * padded + i];
    } else {
      const unsigned pair = data[row * (padded / 2) + i / 32 * 16 + i % 16];
      code = static_cast<int>(i % 32 < 16 ? pair & 15u : pair >> 4);
    }
    const std::int64_t group = row * groups + i / w.group;
    float value = cu::mul_exact(LoadScale(data + scales_at, group, w.wide_scales),
                                static_cast<float>(code + offset));
    if (w.minima) {
      value = cu::add_exact(value, LoadScale(data + minima_at, group, w.wide_scales));
    }
    p.out.data[std::int64_t{blockIdx.x} * p.out.stride + i] = value;
  }
}

}  // namespace sglrun::kernels::CU_WORLD
