#include "engine/memory_plan.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/block_manager.h"
#include "engine/late_logits.h"
#include "engine/step_arrays.h"
#include "kernels/cuda/ops.h"
#include "model/blocks/decoder_blocks.h"
#include "model/blocks/rope_table.h"

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

// Scratch of the attention of the layer that takes the most.
std::int64_t AttentionScratch(const model::ModelSpec& spec, std::int64_t rows,
                              std::int64_t most_keys) {
  std::int64_t most = 0;
  for (const model::LayerSpec& layer : spec.layers) {
    const model::AttentionSpec& mixer = layer.mixer;
    const std::int64_t splits = kernels::cuda::AttentionSplits(most_keys, mixer.window);
    const std::size_t bytes =
        kernels::cuda::AttentionScratchBytes(rows, mixer.heads, mixer.head_dim, splits);
    most = std::max(most, static_cast<std::int64_t>(bytes));
  }
  return most;
}

// Scratch of a product: its x in two bytes an element, and either eight parts of the sums, where
// tiles are few, or one y to try algorithms with.
std::int64_t ProductScratch(const model::ModelSpec& spec, std::int64_t most_rows) {
  std::int64_t widest_in = 0, widest_out = 0;
  for (const model::MatrixSize& matrix : model::MatrixSizes(spec)) {
    widest_in = std::max(widest_in, matrix.k);
    widest_out = std::max(widest_out, matrix.n);
  }
  const std::int64_t parts = 8 * std::min(kDividedOutputs, most_rows * widest_out);
  const std::int64_t trial = std::min(most_rows, kernels::cuda::kMostTrialRows) * spec.hidden_size;
  return most_rows * (widest_in + kRowPadding) * 2 + std::max(parts, trial) * kFloat;
}

// Assumed if the system does not report the free memory.
constexpr std::int64_t kUnknownMemory = std::int64_t{4} << 30;

// A chosen cache must hold one sequence of this many tokens (or of the context, if shorter); with
// less, nearly every record would be refused.
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

std::int64_t StepScratchBytes(const StepSizes& sizes, const model::ModelSpec& spec) {
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t most = std::max({sizes.tokens, rows, LateLogits::kRows});
  return std::max(ProductScratch(spec, most),
                  AttentionScratch(spec, rows, WidestTable(sizes) * kernels::kPageSize));
}

// Ids, positions and slots per token; lengths and a block table per row.
std::int64_t StepArrayBytes(const StepSizes& sizes) {
  constexpr std::int64_t kArrays = 8;
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t tables = rows * WidestTable(sizes);
  return (kArrays * (std::max(sizes.tokens, rows) + rows) + tables) * kFloat + kArrays * 256;
}

std::int64_t RowBufferBytes(const StepSizes& sizes, const model::ModelSpec& spec) {
  // Steps stored as graphs have their own arrays; draws have parameters and masks.
  constexpr std::int64_t kGraphs = std::int64_t{16} << 20;
  const std::int64_t rows = BucketOf(sizes.rows);
  const std::int64_t logit_rows = std::max(rows, LateLogits::kRows);
  const std::int64_t floats =
      (sizes.tokens + rows) * spec.hidden_size + logit_rows * spec.vocab_size;
  std::int64_t angles = 0;
  for (const model::RopeSpec& rope : spec.ropes) {
    angles += model::RopeTable::Bytes(sizes.context_length, rope);
  }
  return floats * kFloat + angles + StepScratchBytes(sizes, spec) + 2 * StepArrayBytes(sizes) +
         kGraphs;
}

Result<std::int64_t> PlanPages(const MemoryNeeds& needs) {
  if (needs.kv_memory_bytes > 0) {
    const std::int64_t pages = needs.kv_memory_bytes / needs.page_bytes;
    if (pages > 0) return std::min(pages, kMostPages);
    return Error{"a key-value cache of " + FormatByteSize(needs.kv_memory_bytes) +
                     " is too small: one page of " + std::to_string(kernels::kPageSize) +
                     " tokens needs " + FormatByteSize(needs.page_bytes),
                 Shortage::kSmallCache};
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
                   " (" + FormatCount(least * kernels::kPageSize) + " tokens), but only " +
                   FormatByteSize(budget) + " of the free memory may be used",
               Shortage::kLeastCache};
}

}  // namespace sglrun::engine
