// Adapters (LoRA): what they change in the products of a model. A row of an adapter gets
//
//   y = gain * (W x + s B (A x)) + bias
//
// where s, A and B belong to a matrix of the checkpoint, and gain is 1 except with DoRA. Base rows
// and rows of several adapters share a step: the product with W runs once for all of them, what an
// adapter adds runs for its rows. The bits of a row depend on the row and its adapter alone, because
// those of every product do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/context.h"
#include "kernels/gemm.h"
#include "kernels/packed_weight.h"
#include "model/blocks/scratch.h"
#include "model/blocks/vector_weight.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

inline constexpr std::int32_t kNoAdapter = -1;

// Rows [first, first + count) of a step that have the same adapter.
struct AdapterRows {
  std::int64_t first = 0, count = 0;
  std::int32_t adapter = kNoAdapter;
};

// The runs of rows with an adapter, from the adapter of each row.
std::vector<AdapterRows> AdapterRowsOf(std::span<const std::int32_t> adapters);

// Rows of x. The last axis keeps its columns.
tensor::TensorView RowsOf(tensor::TensorView x, std::int64_t first, std::int64_t count);
// Columns [first, first + count).
tensor::TensorView ColumnsOf(tensor::TensorView x, std::int64_t first, std::int64_t count);

// Of one matrix of the checkpoint, whose rows are columns of y from first_row on.
struct LowRankPart {
  std::int64_t first_row = 0;
  std::int64_t first_rank = 0;  // its columns of A x
  float scale = 1;
  kernels::PackedWeight b = {};  // [rows, rank]
};

// What one adapter changes in a matrix [N, K] of the model.
struct MatrixUpdate {
  // [ranks of all parts, K]; of an embedding, whose rows are looked up, [N, rank].
  kernels::PackedWeight a = {};
  std::vector<LowRankPart> parts = {};
  VectorWeight gain = {};  // [N], absent without DoRA
  // In place of the matrix (modules_to_save): [N, K].
  std::optional<kernels::PackedWeight> replacement = {};

  std::int64_t bytes() const;
};

// The updates of a matrix by all adapters.
class MatrixUpdates {
 public:
  void Set(std::int32_t adapter, MatrixUpdate update);
  // nullptr: the adapter leaves the matrix as it is.
  const MatrixUpdate* Find(std::int32_t adapter) const;
  // Whether one of the rows has an adapter that changes the matrix.
  bool AnyOf(std::span<const AdapterRows> rows) const;
  std::int64_t most_ranks() const { return most_ranks_; }
  bool has_gains() const { return has_gains_; }
  std::int64_t bytes() const;

 private:
  std::vector<std::optional<MatrixUpdate>> updates_;  // by adapter
  std::int64_t most_ranks_ = 0;
  bool has_gains_ = false;
};

// A context for each thread, with which a thread runs small products by itself: those of several
// adapters beside each other, instead of one after the other on all threads.
class AdapterThreads {
 public:
  // work(run, context) of each run, on all threads of the pool of `context`. Bits do not depend on
  // which thread runs what.
  void ForEach(std::span<const AdapterRows> runs, kernels::KernelContext& context,
               const std::function<void(const AdapterRows&, kernels::KernelContext&)>& work);

 private:
  struct Thread {
    ThreadPool pool{1};
    kernels::KernelContext context{pool};
  };
  std::vector<std::unique_ptr<Thread>> threads_;
};

// What products with adapters work with.
struct AdapterStep {
  std::span<const AdapterRows> rows;  // of x and y
  Scratch& scratch;
  AdapterThreads& threads;
  const kernels::KernelTable& table;
  kernels::KernelContext& context;
};

// gemm, with what the adapters of the rows change. A row without an adapter gets the bits that gemm
// gives it.
void AdaptedGemm(const kernels::GemmArgs& args, const MatrixUpdates& updates,
                 const AdapterStep& step);

// y += scale * s B a, where a has the ranks of the update's parts.
void AddLowRank(const MatrixUpdate& update, tensor::TensorView a, tensor::TensorView y, float scale,
                const kernels::KernelTable& table, kernels::KernelContext& context);

}  // namespace sglrun::model
