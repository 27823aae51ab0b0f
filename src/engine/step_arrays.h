// The planned rows of a step as the flat arrays that the model reads. Keeps its memory from step to
// step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/scheduler.h"
#include "model/model.h"

namespace sglrun::engine {

// The rows of the model's output that belong to one planned row: positions [first_position,
// first_position + count) are output rows first_output, first_output + 1, ...
struct OutputRows {
  std::int64_t first_output = 0;
  std::int64_t first_position = 0;
  std::int64_t count = 0;
};

class StepArrays {
 public:
  explicit StepArrays(std::int64_t hidden_size) : hidden_size_(hidden_size) {}

  void Gather(std::span<const PlannedRow> rows);

  model::ForwardBatch batch();                                      // views into this object
  std::span<const OutputRows> outputs() const { return outputs_; }  // one a planned row
  std::int64_t output_count() const { return static_cast<std::int64_t>(output_tokens_.size()); }

 private:
  void AddRow(const PlannedRow& row);
  void AddEmbeds(const PlannedRow& row);
  void AddOutputs(const PlannedRow& row, std::int64_t first_token);

  std::int64_t hidden_size_;
  std::int64_t table_stride_ = 0;
  std::vector<std::int32_t> token_ids_, positions_, query_start_, kv_len_, tables_, slots_;
  std::vector<std::int32_t> output_tokens_;
  std::vector<OutputRows> outputs_;
  std::vector<std::int32_t> embed_row_;  // empty when no row has embeddings
  std::vector<float> embeds_;
};

}  // namespace sglrun::engine
