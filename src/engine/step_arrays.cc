#include "engine/step_arrays.h"

#include <algorithm>

namespace sglrun::engine {

void StepArrays::Gather(std::span<const PlannedRow> rows) {
  for (auto* list : {&token_ids_, &positions_, &kv_len_, &slots_, &output_tokens_, &embed_row_}) {
    list->clear();
  }
  outputs_.clear();
  embeds_.clear();
  query_start_.assign(1, 0);
  table_stride_ = 0;
  for (const PlannedRow& row : rows) {
    table_stride_ = std::max(table_stride_, static_cast<std::int64_t>(row.sequence->pages.size()));
  }
  tables_.assign(rows.size() * static_cast<std::size_t>(table_stride_), 0);
  const bool any_embeds = std::ranges::any_of(
      rows, [](const PlannedRow& row) { return row.sequence->request().input_embeds != nullptr; });
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto place = tables_.begin() + static_cast<std::ptrdiff_t>(r) * table_stride_;
    std::ranges::copy(rows[r].sequence->pages, place);
    AddRow(rows[r]);
    if (any_embeds) AddEmbeds(rows[r]);
  }
}

void StepArrays::AddRow(const PlannedRow& row) {
  const auto first_token = static_cast<std::int64_t>(token_ids_.size());
  const Sequence& sequence = *row.sequence;
  for (std::int64_t position = row.first; position < row.first + row.count; ++position) {
    const PageId page = sequence.pages[static_cast<std::size_t>(position / kernels::kPageSize)];
    token_ids_.push_back(sequence.tokens()[static_cast<std::size_t>(position)]);
    positions_.push_back(static_cast<std::int32_t>(position));
    slots_.push_back(page * kernels::kPageSize +
                     static_cast<std::int32_t>(position % kernels::kPageSize));
  }
  query_start_.push_back(static_cast<std::int32_t>(token_ids_.size()));
  kv_len_.push_back(static_cast<std::int32_t>(row.first + row.count));
  AddOutputs(row, first_token);
}

void StepArrays::AddEmbeds(const PlannedRow& row) {
  const EmbeddingRows* embeds = row.sequence->request().input_embeds.get();
  for (std::int64_t position = row.first; position < row.first + row.count; ++position) {
    if (embeds == nullptr || position >= embeds->rows) {
      embed_row_.push_back(-1);
      continue;
    }
    embed_row_.push_back(
        static_cast<std::int32_t>(static_cast<std::int64_t>(embeds_.size()) / hidden_size_));
    const auto begin = embeds->values.begin() + position * hidden_size_;
    embeds_.insert(embeds_.end(), begin, begin + hidden_size_);
  }
}

void StepArrays::AddOutputs(const PlannedRow& row, std::int64_t first_token) {
  const std::int64_t end = row.first + row.count;
  const std::int64_t first = std::max(row.first, row.sequence->first_wanted_row());
  OutputRows rows{.first_output = output_count(), .first_position = first, .count = 0};
  for (std::int64_t position = first; position < end; ++position, ++rows.count) {
    output_tokens_.push_back(static_cast<std::int32_t>(first_token + position - row.first));
  }
  outputs_.push_back(rows);
}

model::ForwardBatch StepArrays::batch() {
  model::ForwardBatch batch;
  batch.token_ids = token_ids_;
  batch.positions = positions_;
  batch.query_start = query_start_;
  batch.kv_len = kv_len_;
  batch.block_tables = tables_.data();
  batch.block_table_stride = table_stride_;
  batch.slots = slots_;
  batch.output_tokens = output_tokens_;
  if (!embeds_.empty()) {
    batch.embed_row = embed_row_;
    batch.input_embeds =
        tensor::MakeView(embeds_.data(), tensor::DType::kF32,
                         {static_cast<std::int64_t>(embeds_.size()) / hidden_size_, hidden_size_});
  }
  return batch;
}

}  // namespace sglrun::engine
