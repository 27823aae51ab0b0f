#include "engine/step_arrays.h"

#include <algorithm>
#include <bit>

namespace sglrun::engine {

std::int64_t BucketOf(std::int64_t rows) {
  std::int64_t size = 1;
  while (size < rows && size < 8) size *= 2;
  if (rows <= size) return size;
  const std::int64_t step = rows <= 64 ? 8 : rows <= 256 ? 16 : 64;
  return (rows + step - 1) / step * step;
}

std::int64_t TableWidth(std::int64_t pages) {
  constexpr std::int64_t kLeast = 16;
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(pages, kLeast))));
}

void StepArrays::SortByAdapter(std::span<const PlannedRow> rows) {
  const auto adapter_of = [](const PlannedRow& row) { return row.sequence->request().adapter; };
  sorted_.clear();
  adapters_.clear();
  if (std::ranges::all_of(
          rows, [&](const PlannedRow& row) { return adapter_of(row) == model::kNoAdapter; })) {
    return;
  }
  sorted_.assign(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted_, {}, adapter_of);
  for (const PlannedRow& row : sorted_) adapters_.push_back(adapter_of(row));
}

StepRows StepArrays::Gather(std::span<const PlannedRow> planned) {
  SortByAdapter(planned);
  const std::span<const PlannedRow> rows = sorted_.empty() ? planned : sorted_;
  for (auto* list :
       {&token_ids_, &positions_, &kv_len_, &slots_, &output_tokens_, &embed_row_, &from_drawn_}) {
    list->clear();
  }
  embeds_.clear();
  query_start_.assign(1, 0);
  const bool any_embeds = std::ranges::any_of(
      rows, [](const PlannedRow& row) { return row.sequence->request().input_embeds != nullptr; });
  StepRows step;
  for (const PlannedRow& row : rows) {
    step.rows.push_back(AddOutputs(row));
    AddRow(row);
    if (any_embeds) AddEmbeds(row);
  }
  repeats_ = spare_page_ != kNoPage && adapters_.empty() && AreSingleTokens(rows);
  AddTables(rows);
  if (repeats_) FillBucket();
  step.output_count = output_count();
  return step;
}

void StepArrays::AddTables(std::span<const PlannedRow> rows) {
  table_stride_ = 0;
  for (const PlannedRow& row : rows) {
    table_stride_ =
        std::max(table_stride_, static_cast<std::int64_t>(row.sequence->cache.pages.size()));
  }
  if (repeats_) table_stride_ = TableWidth(table_stride_);
  tables_.assign(rows.size() * static_cast<std::size_t>(table_stride_), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto place = tables_.begin() + static_cast<std::ptrdiff_t>(r) * table_stride_;
    std::ranges::copy(rows[r].sequence->cache.pages, place);
  }
}

bool StepArrays::AreSingleTokens(std::span<const PlannedRow> rows) const {
  return output_tokens_.size() == rows.size() && embeds_.empty() &&
         std::ranges::all_of(rows, [](const PlannedRow& row) { return row.count == 1; });
}

void StepArrays::FillBucket() {
  const auto rows = static_cast<std::int64_t>(kv_len_.size());
  for (std::int64_t r = rows; r < BucketOf(rows); ++r) {
    const auto index = static_cast<std::int32_t>(r);
    token_ids_.push_back(0);
    from_drawn_.push_back(-1);
    positions_.push_back(0);
    slots_.push_back(spare_page_ * kernels::kPageSize);
    query_start_.push_back(index + 1);
    kv_len_.push_back(1);
    output_tokens_.push_back(index);
    tables_.resize(tables_.size() + static_cast<std::size_t>(table_stride_), spare_page_);
  }
}

void StepArrays::AddRow(const PlannedRow& row) {
  const Sequence& sequence = *row.sequence;
  for (std::int64_t position = row.first; position < row.first + row.count; ++position) {
    const PageId page =
        sequence.cache.pages[static_cast<std::size_t>(position / kernels::kPageSize)];
    AddToken(row, position);
    positions_.push_back(static_cast<std::int32_t>(position));
    slots_.push_back(page * kernels::kPageSize +
                     static_cast<std::int32_t>(position % kernels::kPageSize));
  }
  query_start_.push_back(static_cast<std::int32_t>(token_ids_.size()));
  kv_len_.push_back(static_cast<std::int32_t>(row.first + row.count));
}

// The token of an unread draw has id 0 here, which is not read.
void StepArrays::AddToken(const PlannedRow& row, std::int64_t position) {
  const auto tokens = row.sequence->tokens();
  const auto index = static_cast<std::size_t>(position);
  const bool is_known = index < tokens.size();
  token_ids_.push_back(is_known ? tokens[index] : 0);
  from_drawn_.push_back(is_known ? -1 : row.drawn_row);
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

// Before the row's tokens are added.
StepRow StepArrays::AddOutputs(const PlannedRow& row) {
  const StepRow added{.sequence = row.sequence,
                      .first = row.first,
                      .count = row.count,
                      .first_wanted = std::max(row.first, row.sequence->first_wanted_row()),
                      .first_output = output_count()};
  const auto first_token = static_cast<std::int64_t>(token_ids_.size());
  for (std::int64_t position = added.first_wanted; position < added.end(); ++position) {
    output_tokens_.push_back(static_cast<std::int32_t>(first_token + position - row.first));
  }
  return added;
}

model::ForwardBatch StepArrays::batch() {
  model::ForwardBatch batch;
  batch.token_ids = token_ids_;
  batch.positions = positions_;
  batch.query_start = query_start_;
  batch.kv_len = kv_len_;
  batch.adapters = adapters_;
  batch.block_tables = tables_.data();
  batch.block_table_stride = table_stride_;
  batch.slots = slots_;
  batch.output_tokens = output_tokens_;
  batch.repeats = repeats_;
  // A repeated step always reads this array, so that all such steps have the same graph.
  if (repeats_ || std::ranges::any_of(from_drawn_, [](std::int32_t row) { return row >= 0; })) {
    batch.from_drawn = from_drawn_;
    batch.drawn = drawn_;
  }
  if (!embeds_.empty()) {
    batch.embed_row = embed_row_;
    batch.input_embeds =
        tensor::MakeView(embeds_.data(), tensor::DType::kF32,
                         {static_cast<std::int64_t>(embeds_.size()) / hidden_size_, hidden_size_});
  }
  return batch;
}

}  // namespace sglrun::engine
