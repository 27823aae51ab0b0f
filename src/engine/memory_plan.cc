#include "engine/memory_plan.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/block_manager.h"
#include "engine/late_logits.h"
#include "engine/step_arrays.h"
#include "kernels/cuda/ops.h"
#include "model/rope_table.h"

namespace sglrun::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

// Of the rows of a product's x on a device.
constexpr std::int64_t kRowPadding = 64;
// Outputs of products whose sums are divided among blocks are fewer (kernels::cuda::GemmShares).
constexpr std::int64_t kDividedOutputs =
    kernels::cuda::kEnoughTiles * kernels::cuda::kTileOutputs * kernels::cuda::kTileRows;

// Pages of the widest block tables of a repeated step, whose kernels are launched for as many keys.
std::int64_t WidestTable(const StepSizes& sizes) {
  return TableWidth(PagesFor(sizes.context_length));
}

// The largest of all layers; 0: one of them sees all keys.
std::int64_t WidestWindow(const model::ModelConfig& config) {
  std::int64_t widest = 0;
  for (const std::int64_t window : config.sliding_window) {
    if (window == 0) return 0;
    widest = std::max(widest, window);
  }
  return widest;
}

// Taken where the system does not say what is free.
constexpr std::int64_t kUnknownMemory = std::int64_t{4} << 30;

// A chosen cache must hold one sequence of this many tokens (or of the context, if shorter); with
// less the tool would start and refuse nearly every record.
constexpr std::int64_t kLeastTokens = 2048;

// Pages are numbered by int32 and their slots too.
constexpr std::int64_t kMostPages = (std::int64_t{1} << 31) / kernels::kPageSize - 1;

}  // namespace

std::int64_t MostStepTokens(std::int64_t max_batch_tokens, std::int64_t max_rows) {
  return std::max(max_batch_tokens, BucketOf(max_rows));
}

StepSizes WithinCache(StepSizes sizes, const MemoryNeeds& most) {
  const auto pages = PlanPages(most);
  if (pages.ok()) {
    sizes.context_length = std::min(sizes.context_length, *pages * kernels::kPageSize);
  }
  return sizes;
}

std::int64_t StepScratchBytes(const StepSizes& sizes, const model::ModelConfig& c) {
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t most = std::max({sizes.tokens, rows, LateLogits::kRows});
  const std::int64_t heads = c.num_attention_heads;
  const std::int64_t widest_in =
      std::max({c.hidden_size, c.intermediate_size, heads * c.head_dim}) + kRowPadding;
  const std::int64_t widest_out = std::max({c.vocab_size, 2 * c.intermediate_size, c.hidden_size,
                                            (heads + 2 * c.num_key_value_heads) * c.head_dim});
  // Eight parts where tiles are few, or one to try algorithms with; never both.
  const std::int64_t parts = 8 * std::min(kDividedOutputs, most * widest_out);
  const std::int64_t trial = std::min(most, kernels::cuda::kMostTrialRows) * c.hidden_size;
  const std::int64_t product = most * widest_in * 2 + std::max(parts, trial) * kFloat;
  const std::int64_t splits =
      kernels::cuda::AttentionSplits(WidestTable(sizes) * kernels::kPageSize, WidestWindow(c));
  const auto attention = static_cast<std::int64_t>(
      kernels::cuda::AttentionScratchBytes(rows, heads, c.head_dim, splits));
  return std::max(product, attention);
}

// Ids, positions, slots and the like a token; lengths and a block table a row.
std::int64_t StepArrayBytes(const StepSizes& sizes) {
  constexpr std::int64_t kArrays = 8;
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t tables = rows * WidestTable(sizes);
  return (kArrays * (std::max(sizes.tokens, rows) + rows) + tables) * kFloat + kArrays * 256;
}

std::int64_t RowBufferBytes(const StepSizes& sizes, const model::ModelConfig& config) {
  // Steps that are kept as graphs have arrays of their own, draws have their parameters and masks.
  constexpr std::int64_t kGraphs = std::int64_t{16} << 20;
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t logit_rows = std::max(rows, LateLogits::kRows);
  const std::int64_t floats =
      (sizes.tokens + rows) * config.hidden_size + logit_rows * config.vocab_size;
  return floats * kFloat + model::RopeTable::Bytes(sizes.context_length, config.rope) +
         StepScratchBytes(sizes, config) + 2 * StepArrayBytes(sizes) + kGraphs;
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
