#include "model/blocks/adapter.h"

#include <algorithm>
#include <utility>

#include "kernels/backend.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

// gemm over the rows, which all have this update.
void GemmOfRows(kernels::GemmArgs args, const MatrixUpdate& update, const AdapterStep& step) {
  if (update.replacement) args.weight = &*update.replacement;
  step.table.gemm(args, step.context);
  if (update.parts.empty()) return;
  const TensorView a = step.scratch.Take(Slot::kLowRank, args.x.shape[0], update.a.n);
  step.table.gemm({.x = args.x, .weight = &update.a, .y = a}, step.context);
  AddLowRank(update, a, args.y, args.alpha, step);
}

// The same where the sum of both products is multiplied with a gain before it is added to y.
void ScaledGemmOfRows(const kernels::GemmArgs& args, const MatrixUpdate& update,
                      const AdapterStep& step) {
  const TensorView sum = step.scratch.Take(Slot::kAdapted, args.x.shape[0], args.y.shape[1]);
  GemmOfRows({.x = args.x, .weight = args.weight, .y = sum}, update, step);
  step.table.scale_add({.x = sum,
                        .gain = update.gain.view(),
                        .bias = args.bias,
                        .y = args.y,
                        .accumulate = args.accumulate,
                        .alpha = args.alpha},
                       step.context);
}

}  // namespace

std::vector<AdapterRows> AdapterRowsOf(std::span<const std::int32_t> adapters) {
  std::vector<AdapterRows> runs;
  for (std::size_t row = 0; row < adapters.size(); ++row) {
    if (adapters[row] == kNoAdapter) continue;
    if (row > 0 && adapters[row] == adapters[row - 1]) {
      ++runs.back().count;
    } else {
      runs.push_back({static_cast<std::int64_t>(row), 1, adapters[row]});
    }
  }
  return runs;
}

TensorView RowsOf(TensorView x, std::int64_t first, std::int64_t count) {
  x.data = x.row(first);
  x.shape[0] = count;
  return x;
}

TensorView ColumnsOf(TensorView x, std::int64_t first, std::int64_t count) {
  x.data = x.f32() + first;
  x.shape[1] = count;
  return x;
}

std::int64_t MatrixUpdate::bytes() const {
  std::size_t total = a.data.bytes() + gain.data.bytes();
  if (replacement) total += replacement->data.bytes();
  for (const LowRankPart& part : parts) total += part.b.data.bytes();
  return static_cast<std::int64_t>(total);
}

void MatrixUpdates::Set(std::int32_t adapter, MatrixUpdate update) {
  const auto at = static_cast<std::size_t>(adapter);
  if (updates_.size() <= at) updates_.resize(at + 1);
  std::int64_t ranks = 0;
  for (const LowRankPart& part : update.parts) ranks += part.b.k;
  most_ranks_ = std::max(most_ranks_, ranks);
  has_gains_ = has_gains_ || update.gain.n > 0;
  updates_[at] = std::move(update);
}

const MatrixUpdate* MatrixUpdates::Find(std::int32_t adapter) const {
  const auto at = static_cast<std::size_t>(adapter);
  return adapter >= 0 && at < updates_.size() && updates_[at] ? &*updates_[at] : nullptr;
}

bool MatrixUpdates::AnyOf(std::span<const AdapterRows> rows) const {
  return !updates_.empty() && std::ranges::any_of(rows, [&](const AdapterRows& run) {
    return Find(run.adapter) != nullptr;
  });
}

std::int64_t MatrixUpdates::bytes() const {
  std::int64_t total = 0;
  for (const auto& update : updates_) total += update ? update->bytes() : 0;
  return total;
}

void AddLowRank(const MatrixUpdate& update, TensorView a, TensorView y, float scale,
                const AdapterStep& step) {
  for (const LowRankPart& part : update.parts) {
    step.table.gemm({.x = ColumnsOf(a, part.first_rank, part.b.k),
                     .weight = &part.b,
                     .y = ColumnsOf(y, part.first_row, part.b.n),
                     .accumulate = true,
                     .alpha = scale * part.scale},
                    step.context);
  }
}

void AdaptedGemm(const kernels::GemmArgs& args, const MatrixUpdates& updates,
                 const AdapterStep& step) {
  // Rows whose product is the plain one come in runs between the others.
  std::int64_t done = 0;
  const auto rows_of = [&](std::int64_t first, std::int64_t count) {
    kernels::GemmArgs rows = args;
    rows.x = RowsOf(args.x, first, count);
    rows.y = RowsOf(args.y, first, count);
    return rows;
  };
  const auto plain_until = [&](std::int64_t end) {
    if (end > done) step.table.gemm(rows_of(done, end - done), step.context);
    done = std::max(done, end);
  };
  const auto is_apart = [](const MatrixUpdate& update) {
    return update.replacement || update.gain.n > 0;
  };
  for (const AdapterRows& run : step.rows) {
    const MatrixUpdate* update = updates.Find(run.adapter);
    if (update == nullptr || !is_apart(*update)) continue;
    plain_until(run.first);
    const kernels::GemmArgs rows = rows_of(run.first, run.count);
    update->gain.n > 0 ? ScaledGemmOfRows(rows, *update, step) : GemmOfRows(rows, *update, step);
    done = run.first + run.count;
  }
  plain_until(args.x.shape[0]);
  for (const AdapterRows& run : step.rows) {
    const MatrixUpdate* update = updates.Find(run.adapter);
    if (update == nullptr || is_apart(*update)) continue;
    const kernels::GemmArgs rows = rows_of(run.first, run.count);
    const TensorView a = step.scratch.Take(Slot::kLowRank, run.count, update->a.n);
    step.table.gemm({.x = rows.x, .weight = &update->a, .y = a}, step.context);
    AddLowRank(*update, a, rows.y, args.alpha, step);
  }
}

}  // namespace sglrun::model
