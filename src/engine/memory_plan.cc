#include "engine/memory_plan.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/block_manager.h"
#include "engine/prompt_logprobs.h"
#include "engine/step_arrays.h"

namespace sglrun::engine {

namespace {

// Taken where the system does not say what is free.
constexpr std::int64_t kUnknownMemory = std::int64_t{4} << 30;

// A chosen cache must hold one sequence of this many tokens (or of the context, if shorter); with
// less the tool would start and refuse nearly every record.
constexpr std::int64_t kLeastTokens = 2048;

// Pages are numbered by int32 and their slots too.
constexpr std::int64_t kMostPages = (std::int64_t{1} << 31) / kernels::kPageSize - 1;

}  // namespace

std::int64_t RowBufferBytes(std::int64_t tokens, std::int64_t rows,
                            const model::ModelConfig& config) {
  constexpr std::int64_t kScratch = std::int64_t{64} << 20;  // sums of divided products
  rows = BucketOf(rows);
  const std::int64_t logit_rows = std::max(rows, kPromptLogprobRows);
  const std::int64_t widest = std::max(config.hidden_size, config.intermediate_size);
  const std::int64_t floats =
      (tokens + rows) * config.hidden_size + logit_rows * config.vocab_size + tokens * widest / 2;
  return floats * static_cast<std::int64_t>(sizeof(float)) + kScratch;
}

Result<std::int64_t> PlanPages(const MemoryNeeds& needs) {
  if (needs.kv_memory_bytes > 0) {
    const std::int64_t pages = needs.kv_memory_bytes / needs.page_bytes;
    if (pages > 0) return std::min(pages, kMostPages);
    return Error{"--kv-memory " + FormatByteSize(needs.kv_memory_bytes) +
                 " is too small: one page of " + std::to_string(kernels::kPageSize) +
                 " tokens needs " + FormatByteSize(needs.page_bytes)};
  }
  const std::int64_t per_row = PagesFor(needs.context_length);
  const std::int64_t wanted = std::min(needs.max_rows, kMostPages / per_row + 1) * per_row;
  const auto budget = static_cast<std::int64_t>(
      static_cast<double>(
          std::max(needs.available_bytes.value_or(kUnknownMemory), std::int64_t{0})) *
      needs.share);
  const std::int64_t pages = std::min({wanted, budget / needs.page_bytes, kMostPages});
  const std::int64_t least = std::min(per_row, PagesFor(kLeastTokens));
  if (pages >= least) return pages;
  return Error{"the key-value cache needs at least " + FormatByteSize(least * needs.page_bytes) +
               " (" + FormatCount(least * kernels::kPageSize) +
               " tokens), it may have of the free memory " + FormatByteSize(budget) +
               ": free some memory, lower --context-length, or give --kv-memory"};
}

}  // namespace sglrun::engine
