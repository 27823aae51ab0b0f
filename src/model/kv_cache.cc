#include "model/kv_cache.h"

#include <algorithm>

#include "base/strings.h"
#include "model/blocks/attention.h"
#include "model/weights/available_memory.h"
#include "tensor/pages.h"

namespace sglrun::model {
namespace {

std::int64_t LayerPageBytes(const kernels::KvLayout& layout, const kernels::Backend& backend) {
  return static_cast<std::int64_t>(backend.table.kv_page_bytes(layout));
}

// The beginning of each layer on the host. Otherwise the first token would touch a huge page in
// each of 30 layers: 60 MB to zero for 0.4 MB of data.
constexpr std::int64_t kSmallPagesBytes = std::int64_t{2} << 20;

}  // namespace

std::int64_t KvPageBytes(const ModelSpec& spec, tensor::DType dtype,
                         const kernels::Backend& backend) {
  std::int64_t bytes = 0;
  for (const LayerSpec& layer : spec.layers) {
    bytes += LayerPageBytes(Attention::Cache(layer.mixer, dtype), backend);
  }
  return bytes;
}

Result<KvCache> KvCache::Create(const ModelSpec& spec, tensor::DType dtype, std::int64_t num_pages,
                                const kernels::Backend& backend) {
  if (dtype == tensor::DType::kI8 && backend.device != nullptr) {
    return Error{"keys and values in int8 are for the CPU"};
  }
  std::int64_t bytes = 0;
  if (num_pages < 1 ||
      __builtin_mul_overflow(num_pages, KvPageBytes(spec, dtype, backend), &bytes)) {
    return Error{"a key-value cache of " + std::to_string(num_pages) + " pages cannot be made"};
  }
  KvCache cache;
  cache.num_pages_ = num_pages;
  std::int64_t begin = 0;
  for (const LayerSpec& layer : spec.layers) {
    const kernels::KvLayout layout = Attention::Cache(layer.mixer, dtype);
    cache.layers_.push_back({layout, begin, num_pages * LayerPageBytes(layout, backend)});
    begin += cache.layers_.back().bytes;
  }
  cache.buffer_ = tensor::Buffer(*backend.allocator, static_cast<std::size_t>(bytes));
  if (!cache.buffer_.ok()) {
    return Error{"the key-value cache needs " + FormatByteSize(bytes) + ", " +
                     FormatByteSize(AvailableMemory(backend).value_or(0)) + " are free",
                 Shortage::kCache};
  }
  if (backend.device == nullptr) cache.BeginWithSmallPages();
  return cache;
}

void KvCache::BeginWithSmallPages() {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::int64_t part = std::min(layers_[i].bytes, kSmallPagesBytes);
    tensor::UseSmallPages(Layer(static_cast<std::int64_t>(i)).data, static_cast<std::size_t>(part));
  }
}

kernels::KvCacheView KvCache::Layer(std::int64_t layer) const {
  const LayerPages& pages = layers_[static_cast<std::size_t>(layer)];
  return {pages.layout, buffer_.as<char>() + pages.begin, num_pages_};
}

}  // namespace sglrun::model
