// The planned rows of a step as the flat arrays that the model reads. Keeps its memory from step to
// step.
//
// On a device, a step of single tokens is padded to one of a few sizes, so that its graph can be
// reused (ForwardBatch::repeats): filler rows with token 0 write to the spare page, and block
// tables are widened.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/scheduler.h"
#include "engine/step_rows.h"
#include "model/blocks/adapter.h"
#include "model/model.h"

namespace sglrun::engine {

// The size to which `rows` of single tokens are padded: 1, 2, 4, 8, then steps of 8 to 64, of 16 to
// 256, of 64.
std::int64_t BucketOf(std::int64_t rows);
// Pages of the block table of such a step, from those of the longest row: 16, 32, 64 ...
std::int64_t TableWidth(std::int64_t pages);

class StepArrays {
 public:
  // spare_page: kNoPage if steps are not padded. drawn: the device memory into which draws write
  // their tokens.
  StepArrays(std::int64_t hidden_size, PageId spare_page, const std::int32_t* drawn)
      : hidden_size_(hidden_size), spare_page_(spare_page), drawn_(drawn) {}

  // The step of these rows, those of one adapter beside each other; batch() is its form for the
  // model.
  StepRows Gather(std::span<const PlannedRow> rows);

  model::ForwardBatch batch();  // views into this object

 private:
  std::int64_t output_count() const { return static_cast<std::int64_t>(output_tokens_.size()); }
  void AddTables(std::span<const PlannedRow> rows);
  bool AreSingleTokens(std::span<const PlannedRow> rows) const;
  void FillBucket();
  void AddRow(const PlannedRow& row);
  void AddToken(const PlannedRow& row, std::int64_t position);
  void AddEmbeds(const PlannedRow& row);
  StepRow AddOutputs(const PlannedRow& row);
  void SortByAdapter(std::span<const PlannedRow> rows);

  std::int64_t hidden_size_;
  PageId spare_page_;
  const std::int32_t* drawn_;
  std::int64_t table_stride_ = 0;
  bool repeats_ = false;
  std::vector<std::int32_t> token_ids_, positions_, query_start_, kv_len_, tables_, slots_;
  std::vector<std::int32_t> output_tokens_;
  std::vector<PlannedRow> sorted_;        // the planned rows, if one has an adapter
  std::vector<std::int32_t> adapters_;    // of the rows; empty when no row has one
  std::vector<std::int32_t> from_drawn_;  // row of the draw with the token; -1: it is known
  std::vector<std::int32_t> embed_row_;   // empty when no row has embeddings
  std::vector<float> embeds_;
};

}  // namespace sglrun::engine
