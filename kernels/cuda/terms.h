// Converts the types of the contracts into parameters of the kernels: what the backend and the
// shelf that tests use (tests/kernels/cuda/sim_shelf.cc) must agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/encode_rows.h"
#include "kernels/cuda/ops.h"
#include "kernels/kv_cache.h"
#include "kernels/packed_weight.h"

namespace sglrun::kernels::cuda {

inline std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form) {
  return WeightBytes(
      WeightOf(PackedWeight{.n = n, .k = k, .dtype = form.dtype, .data = {}, .quant = form.quant}));
}

inline std::size_t KvPageBytes(const KvLayout& layout) {
  return PageBytes(layout.num_kv_heads, layout.head_dim, layout.dtype == tensor::DType::kBF16);
}

// `data`: the layer's pages in device memory.
inline Cache CacheOf(const KvLayout& layout, void* data) {
  return {data, layout.dtype == tensor::DType::kBF16,
          static_cast<std::int32_t>(layout.num_kv_heads),
          static_cast<std::int32_t>(layout.head_dim)};
}

}  // namespace sglrun::kernels::cuda
