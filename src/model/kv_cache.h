// Memory of the paged key-value cache: layers x pages. Which page belongs to which sequence is the
// engine's business (BlockManager).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/backend.h"
#include "kernels/kv_cache.h"
#include "model/config.h"
#include "tensor/buffer.h"

namespace sglrun::model {

// Bytes of one page over all layers.
std::int64_t KvPageBytes(const ModelConfig& config, tensor::DType dtype,
                         const kernels::Backend& backend);

class KvCache {
 public:
  // Fails with the size that was asked for when the memory cannot be had.
  static Result<KvCache> Create(const ModelConfig& config, tensor::DType dtype,
                                std::int64_t num_pages, const kernels::Backend& backend);

  std::int64_t num_pages() const { return num_pages_; }
  kernels::KvCacheView Layer(std::int64_t layer) const;

 private:
  KvCache() = default;
  kernels::KvLayout layout_;
  std::int64_t num_pages_ = 0;
  std::int64_t layer_bytes_ = 0;
  tensor::Buffer buffer_;
};

}  // namespace sglrun::model
