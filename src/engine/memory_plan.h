// Computes the number of pages of the key-value cache.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "model/spec/model_spec.h"

namespace sglrun::engine {

// The share of a device's free memory for the cache; the rest is for the buffers of a step.
inline constexpr double kCacheShareOfDevice = 0.9;

// The maximum number of tokens and rows of a step. With it, the buffer sizes of every model that
// model/spec/faults.h accepts fit into int64.
inline constexpr std::int64_t kMostStepTokens = 1 << 24;

// Tokens of the largest step: on a device one of single tokens is filled up (step_arrays.h).
std::int64_t MostStepTokens(std::int64_t max_batch_tokens, std::int64_t max_rows);

// The largest steps of an engine.
struct StepSizes {
  std::int64_t tokens = 0, rows = 0;
  std::int64_t context_length = 0;  // of the longest sequence
};
// On a device: scratch of the largest operation of a step (x of a product in another type and the
// sums of its parts; the splits of attention), and the arrays that are sent to it.
std::int64_t StepScratchBytes(const StepSizes& sizes, const model::ModelSpec& spec);
std::int64_t StepArrayBytes(const StepSizes& sizes);

// The buffers of a device beside weights, activations and cache: states of the rows that a step
// gives out, logits of those that are sampled, the angles of all positions, and the two above.
std::int64_t RowBufferBytes(const StepSizes& sizes, const model::ModelSpec& spec);

struct MemoryNeeds {
  std::int64_t page_bytes = 0;
  std::int64_t max_rows = 0;
  std::int64_t context_length = 0;
  std::int64_t kv_memory_bytes = 0;                  // 0: choose
  std::optional<std::int64_t> available_bytes = {};  // absent: the system does not tell
  double share = 0.5;                                // of it, that a chosen size may take
};

// If a size is given: as many pages as fit into it. Otherwise as many as max_rows sequences with
// full context need, but at most the given share of the free memory.
Result<std::int64_t> PlanPages(const MemoryNeeds& needs);

// Assumes sequences no longer than the cache of `most` could hold: the buffers of a step are
// planned before the cache, which gets the rest of the memory.
StepSizes WithinCache(StepSizes sizes, const MemoryNeeds& most);

}  // namespace sglrun::engine
