#include "model/blocks/adapter.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/backend.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

// y += scale * s B (A x). `ranks`: room for A x.
void AddUpdate(const kernels::GemmArgs& args, const MatrixUpdate& update, TensorView ranks,
               const kernels::KernelTable& table, kernels::KernelContext& context) {
  if (update.parts.empty()) return;
  const TensorView a = ColumnsOf(ranks, 0, update.a.n);
  table.gemm({.x = args.x, .weight = &update.a, .y = a}, context);
  AddLowRank(update, a, args.y, args.alpha, table, context);
}

// gemm over rows that all have this update, which does more than add to the product.
void GemmApart(kernels::GemmArgs args, const MatrixUpdate& update, TensorView ranks,
               const AdapterStep& step) {
  if (update.replacement) args.weight = &*update.replacement;
  if (update.gain.n == 0) {
    step.table.gemm(args, step.context);
    return AddUpdate(args, update, ranks, step.table, step.context);
  }
  kernels::GemmArgs sum{.x = args.x, .weight = args.weight};
  sum.y = step.scratch.Take(Slot::kAdapted, args.x.shape[0], args.y.shape[1]);
  step.table.gemm(sum, step.context);
  AddUpdate(sum, update, ranks, step.table, step.context);
  step.table.scale_add({.x = sum.y,
                        .gain = update.gain.view(),
                        .bias = args.bias,
                        .y = args.y,
                        .accumulate = args.accumulate,
                        .alpha = args.alpha},
                       step.context);
}

bool IsApart(const MatrixUpdate& update) {
  return update.replacement || update.gain.n > 0;
}

kernels::GemmArgs RowsOf(const kernels::GemmArgs& args, const AdapterRows& rows) {
  kernels::GemmArgs part = args;
  part.x = model::RowsOf(args.x, rows.first, rows.count);
  part.y = model::RowsOf(args.y, rows.first, rows.count);
  return part;
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

void AdapterThreads::ForEach(
    std::span<const AdapterRows> runs, kernels::KernelContext& context,
    const std::function<void(const AdapterRows&, kernels::KernelContext&)>& work) {
  const auto threads = static_cast<std::size_t>(context.pool().threads());
  // A device runs one operation at a time, and a clock belongs to one thread.
  const bool one_by_one = context.device() != nullptr || context.clock() != nullptr;
  if (one_by_one || threads == 1 || runs.size() < 2 * threads) {
    for (const AdapterRows& run : runs) work(run, context);
    return;
  }
  while (threads_.size() < threads) threads_.push_back(std::make_unique<Thread>());
  std::atomic<std::size_t> next{0};
  context.pool().Run([&](int thread, int) {
    kernels::KernelContext& own = threads_[static_cast<std::size_t>(thread)]->context;
    for (std::size_t i = next.fetch_add(1); i < runs.size(); i = next.fetch_add(1)) {
      work(runs[i], own);
    }
  });
}

void AddLowRank(const MatrixUpdate& update, TensorView a, TensorView y, float scale,
                const kernels::KernelTable& table, kernels::KernelContext& context) {
  for (const LowRankPart& part : update.parts) {
    table.gemm({.x = ColumnsOf(a, part.first_rank, part.b.k),
                .weight = &part.b,
                .y = ColumnsOf(y, part.first_row, part.b.n),
                .accumulate = true,
                .alpha = scale * part.scale},
               context);
  }
}

void AdaptedGemm(const kernels::GemmArgs& args, const MatrixUpdates& updates,
                 const AdapterStep& step) {
  const std::int64_t rows = args.x.shape[0];
  if (!updates.AnyOf(step.rows)) return step.table.gemm(args, step.context);
  const TensorView ranks = step.scratch.Take(Slot::kLowRank, rows, updates.most_ranks());
  // Rows of updates that do more than add have products of their own, between those of the others.
  std::int64_t done = 0;
  const auto multiply_until = [&](std::int64_t end) {
    if (end > done) step.table.gemm(RowsOf(args, {done, end - done}), step.context);
  };
  std::vector<AdapterRows> added;
  for (const AdapterRows& run : step.rows) {
    const MatrixUpdate* update = updates.Find(run.adapter);
    if (update == nullptr) continue;
    if (!IsApart(*update)) {
      added.push_back(run);
      continue;
    }
    multiply_until(run.first);
    GemmApart(RowsOf(args, run), *update, model::RowsOf(ranks, run.first, run.count), step);
    done = run.first + run.count;
  }
  multiply_until(rows);
  step.threads.ForEach(added, step.context,
                       [&](const AdapterRows& run, kernels::KernelContext& context) {
                         AddUpdate(RowsOf(args, run), *updates.Find(run.adapter),
                                   model::RowsOf(ranks, run.first, run.count), step.table, context);
                       });
}

}  // namespace sglrun::model
