// Rows of quantised products: x rounded to int8 per group, as kernels/common/quantize.h
// does, and rows of quantised weights (quant_weight.h) as float32.
#pragma once

#include "kernels/cuda/norm.cuh"
#include "kernels/cuda/quant_weight.h"

namespace sglrun::kernels::CU_WORLD {

// The scale of a group of x and the sum of its codes.
struct GroupOfX {
  float scale;
  std::int32_t sum;
};

// x as integers in scratch: codes [m, PaddedQuantK(k)] in the order of kI8 weights, then the groups
// [m, PaddedQuantK(k) / group].
struct RoundedX {
  std::int8_t* codes;
  GroupOfX* groups;
};
__host__ __device__ __forceinline__ RoundedX RoundedXOf(const cuda::GemmParams& p) {
  auto* codes = static_cast<std::int8_t*>(p.scratch);
  return {codes, reinterpret_cast<GroupOfX*>(codes + p.m * cuda::PaddedQuantK(p.weight.k))};
}

// RoundActivations of common/quantize.h, one thread per group: `group` of row m, whose element i is
// element(i).
template <int kGroup, class Element>
__device__ __forceinline__ void RoundGroup(const cuda::GemmParams& p, std::int64_t m,
                                           std::int64_t group, const Element& element) {
  const std::int64_t padded = cuda::PaddedQuantK(p.weight.k), groups = padded / kGroup;
  const std::int64_t first = group * kGroup, item = m * groups + group;
  float values[kGroup];
  std::uint32_t most = 0;  // bits of the largest magnitude
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    values[i] = first + i < p.weight.k ? element(first + i) : 0.0f;
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
    *reinterpret_cast<std::uint32_t*>(to.codes + m * padded + cuda::PlaceOfByte(first + i).byte) =
        word;
  }
  to.groups[item].scale = is_bad ? cu::f32_of(0x7fc00000u) : is_zero ? 0.0f : largest / 127.0f;
  to.groups[item].sum = sum;
}

template <int kGroup, bool kGated>
__global__ void __launch_bounds__(128) RoundGroupsKernel(cuda::GemmParams p) {
  const std::int64_t k = p.weight.k, groups = cuda::PaddedQuantK(k) / kGroup;
  const std::int64_t item = std::int64_t{blockIdx.x} * 128 + threadIdx.x;
  if (item >= p.m * groups) return;
  const std::int64_t m = item / groups;
  const float* x = p.x.data + m * p.x.stride;
  RoundGroup<kGroup>(p, m, item % groups, [&](std::int64_t i) {
    if constexpr (kGated) {
      return SiluTimes(x[i], x[k + i]);
    } else {
      return x[i];
    }
  });
}

// A block a row, which is normalised first.
template <int kGroup>
__global__ void __launch_bounds__(256) RoundNormedGroupsKernel(cuda::GemmParams p) {
  CU_SHARED(float, parts, kNormWarps);
  CU_SHARED(float, scales, 1);
  const std::int64_t k = p.weight.k, m = blockIdx.x;
  float* x = p.x.data + m * p.x.stride;
  const cuda::NormInput& norm = p.input.norm;
  NormScales<256>({x, p.x.stride}, 1, k, norm.eps, parts, scales);
  const float scale = scales[0];
  for (std::int64_t group = threadIdx.x; group < cuda::PaddedQuantK(k) / kGroup; group += 256) {
    RoundGroup<kGroup>(p, m, group,
                       [&](std::int64_t i) { return Normed(x[i], scale, norm.weight[i]); });
  }
}

__device__ __forceinline__ float LoadScale(const unsigned char* scales, std::int64_t index,
                                           bool is_wide) {
  if (is_wide) return reinterpret_cast<const float*>(scales)[index];
  return cu::to_f32(reinterpret_cast<const f16*>(scales)[index]);
}

// A block a row; every step rounds on its own, as in the contract of the weight.
__global__ void __launch_bounds__(128, 1)
    QuantEmbedKernel(cuda::EmbedParams p, std::size_t scales_at, std::size_t minima_at) {
  const cuda::Weight& w = p.weight;
  const std::int64_t padded = cuda::PaddedQuantK(w.k), groups = (w.k + w.group - 1) / w.group;
  const auto* data = static_cast<const unsigned char*>(w.data);
  const std::int64_t row = p.ids[blockIdx.x];
  const int offset = cuda::CodeOffset(w.type, w.minima);
  for (std::int64_t i = threadIdx.x; i < w.k; i += 128) {
    int code = 0;
    if (w.type == cuda::WeightType::kI8) {
      code = reinterpret_cast<const std::int8_t*>(data)[row * padded + cuda::PlaceOfByte(i).byte];
    } else {
      const cuda::CodePlace place = cuda::PlaceOfHalfByte(i);
      code = (data[row * (padded / 2) + place.byte] >> place.shift) & 15;
    }
    const std::int64_t group = row * groups + i / w.group;
    float value = cu::mul_exact(LoadScale(data + scales_at, group, w.wide_scales),
                                static_cast<float>(code + offset));
    if (w.minima) {
      value = cu::add_exact(value, LoadScale(data + minima_at, group, w.wide_scales));
    }
    p.out.data[std::int64_t{blockIdx.x} * p.out.stride + i] = cu::mul_exact(value, p.scale);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
