// How many pages the key-value cache gets.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "model/config.h"

namespace sglrun::engine {

// Nobody else wants a device's memory, but the buffers of a step.
inline constexpr double kCacheShareOfDevice = 0.9;

// The buffers of a device beside weights, activations and cache, for steps of so many tokens and
// rows: states of the rows that a step gives out, logits of those that are sampled, float32 copies
// of what products are given, and what kernels need between two passes.
std::int64_t RowBufferBytes(std::int64_t tokens, std::int64_t rows,
                            const model::ModelConfig& config);

struct MemoryNeeds {
  std::int64_t page_bytes = 0;
  std::int64_t max_rows = 0;
  std::int64_t context_length = 0;
  std::int64_t kv_memory_bytes = 0;                  // 0: choose
  std::optional<std::int64_t> available_bytes = {};  // absent: the system does not tell
  double share = 0.5;                                // of it, that a chosen size may take
};

// With a size given: as many pages as it holds. Otherwise what max_rows sequences of full context
// need, but at most that share of the memory that is free.
Result<std::int64_t> PlanPages(const MemoryNeeds& needs);

}  // namespace sglrun::engine
