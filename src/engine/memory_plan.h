// How many pages the key-value cache gets.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "model/spec/model_spec.h"

namespace sglrun::engine {

// Nobody else wants a device's memory, but the buffers of a step.
inline constexpr double kCacheShareOfDevice = 0.9;

// No step is larger, nor has more rows: what it works in, of any model that model/spec/faults.h lets
// through, is then counted in int64.
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

// With a size given: as many pages as it holds. Otherwise what max_rows sequences of full context
// need, but at most that share of the memory that is free.
Result<std::int64_t> PlanPages(const MemoryNeeds& needs);

// With no longer sequence than the cache of `most` could hold: the buffers of a step are planned
// before the cache, which gets what they leave.
StepSizes WithinCache(StepSizes sizes, const MemoryNeeds& most);

}  // namespace sglrun::engine
