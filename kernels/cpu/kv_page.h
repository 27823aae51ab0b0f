// Inside of a page of the CPU backend: first the keys of all kv heads, then the values.
//   keys    f32 [Hkv][D][16]   bf16 [Hkv][D / 2][16][2]  int8 [Hkv][D][16]
//   values  f32 [Hkv][16][Dp]  bf16 [Hkv][8][Dp][2]      int8 [Hkv][4][Dp / 16][4][16]
// with Dp = D rounded up to 16. The 16 slots are the lanes of a vector of keys, 16 elements of D
// those of a vector of values. In the other dimension, bf16 puts two elements side by side, int8
// four vectors into a cache line; after the codes of each head int8 has the 16 scales, float32. So
// both products of attention read whole vectors and have the shape of kernels/cpu/dot.h: scores sum
// over D, outputs over slots.
#pragma once

#include <cstdint>

#include "kernels/kv_cache.h"

namespace sglrun::kernels::cpu {

struct PageGeometry {
  std::int64_t head_dim;
  std::int64_t padded_dim;    // Dp
  std::int64_t key_elements;  // of one head, in bytes: where its scales begin, if there are any
  std::int64_t value_elements;
  std::int64_t key_bytes;      // of one head
  std::int64_t value_bytes;    // of one head
  std::int64_t values_offset;  // of the first head's values
  std::int64_t page_bytes;
};

constexpr PageGeometry GeometryOf(const KvLayout& layout) {
  const auto element = static_cast<std::int64_t>(tensor::ElementSize(layout.dtype));
  const std::int64_t padded = (layout.head_dim + 15) / 16 * 16;
  const std::int64_t scales = layout.dtype == tensor::DType::kI8 ? kPageSize * 4 : 0;
  const std::int64_t keys = kPageSize * layout.head_dim * element;
  const std::int64_t values = kPageSize * padded * element;
  return {layout.head_dim,
          padded,
          keys,
          values,
          keys + scales,
          values + scales,
          (keys + scales) * layout.num_kv_heads,
          (keys + values + 2 * scales) * layout.num_kv_heads};
}

}  // namespace sglrun::kernels::cpu
