#include "model/kv_cache.h"

#include <algorithm>

#include "base/strings.h"
#include "model/available_memory.h"
#include "tensor/pages.h"

namespace sglrun::model {
namespace {

kernels::KvLayout LayoutOf(const ModelConfig& config, tensor::DType dtype) {
  return {config.num_key_value_heads, config.head_dim, dtype};
}

// The beginning of each layer on the host. A first token that took a huge page of each of 30 layers
// waited 60 MB of zeroing for its 0.4 MB.
constexpr std::int64_t kSmallPagesBytes = std::int64_t{2} << 20;

}  // namespace

std::int64_t KvPageBytes(const ModelConfig& config, tensor::DType dtype,
                         const kernels::Backend& backend) {
  return config.num_hidden_layers *
         static_cast<std::int64_t>(backend.table.kv_page_bytes(LayoutOf(config, dtype)));
}

Result<KvCache> KvCache::Create(const ModelConfig& config, tensor::DType dtype,
                                std::int64_t num_pages, const kernels::Backend& backend) {
  if (dtype == tensor::DType::kI8 && backend.device != nullptr) {
    return Error{"keys and values in int8 are for the CPU"};
  }
  KvCache cache;
  cache.layout_ = LayoutOf(config, dtype);
  cache.num_pages_ = num_pages;
  std::int64_t bytes = 0;
  if (num_pages < 1 ||
      __builtin_mul_overflow(num_pages, KvPageBytes(config, dtype, backend), &bytes)) {
    return Error{"a key-value cache of " + std::to_string(num_pages) + " pages cannot be made"};
  }
  cache.layer_bytes_ = bytes / config.num_hidden_layers;
  cache.buffer_ = tensor::Buffer(*backend.allocator, static_cast<std::size_t>(bytes));
  if (!cache.buffer_.ok()) {
    return Error{"the key-value cache needs " + FormatByteSize(bytes) + ", " +
                 FormatByteSize(AvailableMemory(backend).value_or(0)) +
                 " are free: lower --kv-memory, --max-rows or --context-length"};
  }
  for (std::int64_t i = 0; backend.device == nullptr && i < config.num_hidden_layers; ++i) {
    const std::int64_t part = std::min(cache.layer_bytes_, kSmallPagesBytes);
    tensor::UseSmallPages(cache.Layer(i).data, static_cast<std::size_t>(part));
  }
  return cache;
}

kernels::KvCacheView KvCache::Layer(std::int64_t layer) const {
  return {layout_, buffer_.as<char>() + layer * layer_bytes_, num_pages_};
}

}  // namespace sglrun::model
