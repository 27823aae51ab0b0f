// Memory of the paged key-value cache: the pages of each layer in the layout that its mixer asks
// for. Which page belongs to which sequence is the
// engine's business (BlockManager).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "kernels/backend.h"
#include "kernels/kv_cache.h"
#include "model/spec/model_spec.h"
#include "tensor/buffer.h"

namespace sglrun::model {

// Bytes of one page over all layers.
std::int64_t KvPageBytes(const ModelSpec& spec, tensor::DType dtype,
                         const kernels::Backend& backend);

class KvCache {
 public:
  // Fails with the size that was asked for when the memory cannot be had.
  static Result<KvCache> Create(const ModelSpec& spec, tensor::DType dtype, std::int64_t num_pages,
                                const kernels::Backend& backend);

  std::int64_t num_pages() const { return num_pages_; }
  kernels::KvCacheView Layer(std::int64_t layer) const;

 private:
  struct LayerPages {
    kernels::KvLayout layout;
    std::int64_t begin = 0, bytes = 0;  // in the buffer
  };

  KvCache() = default;
  void BeginWithSmallPages();

  std::vector<LayerPages> layers_;
  std::int64_t num_pages_ = 0;
  tensor::Buffer buffer_;
};

}  // namespace sglrun::model
