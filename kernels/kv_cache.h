// The paged key-value cache as kernels see it. A page holds kPageSize token slots of one layer; its
// inner layout is the backend's own (KernelTable::kv_page_bytes says how large it is). Slot s of
// the cache is slot s % kPageSize of page s / kPageSize.
//
// An int8 cache keeps each head of each key and value as integers of -127 to 127 and one float32
// scale (common/round_head.h); host only.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/dtype.h"

namespace sglrun::kernels {

inline constexpr int kPageSize = 16;
inline constexpr int kMaxHeadDim = 256;

struct KvLayout {
  std::int64_t num_kv_heads = 0;
  std::int64_t head_dim = 0;                  // a multiple of 8, at most kMaxHeadDim
  tensor::DType dtype = tensor::DType::kF32;  // kF32, kBF16 or kI8
};

// One layer's pages.
struct KvCacheView {
  KvLayout layout;
  void* data = nullptr;
  std::int64_t num_pages = 0;
};

std::string Check(const KvCacheView& cache);

}  // namespace sglrun::kernels
