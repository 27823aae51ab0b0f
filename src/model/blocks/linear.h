// A product with a matrix, and with a bias where the model has one: what blocks are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/gemm.h"
#include "model/blocks/adapter.h"
#include "model/blocks/step.h"
#include "model/blocks/weight_list.h"

namespace sglrun::model {

// One of the matrices of a checkpoint that lie below each other in a Linear: its names without
// ".weight" and ".bias".
struct LinearPart {
  std::string name, gguf_name;
  std::int64_t rows = 0;
  RotatedRows rotated = {};
  FusedRows fused = {};
};

class Linear {
 public:
  // [sum of the parts' rows, k]
  void List(const std::vector<LinearPart>& parts, std::int64_t k, bool has_bias, WeightList& list,
            const MatrixUse& use = {});

  const kernels::PackedWeight& weight() const { return weight_; }
  tensor::TensorView bias() const { return bias_.view(); }

  // y = x W^T + bias, or added to y; without what adapters change.
  kernels::GemmArgs Args(tensor::TensorView x, const BlockOutput& out) const;

  // Whether no row of the step has an adapter that changes the matrix: Args are the whole product.
  bool IsPlain(const Step& step) const { return !updates_.AnyOf(step.adapters); }
  // The product with what adapters change. Works in Slot::kLowRank and Slot::kAdapted.
  void Multiply(tensor::TensorView x, const BlockOutput& out, const Step& step) const;

  // What updates of the matrix work in.
  void AddColumns(Columns& columns) const;

  // y = norm(x) W^T + bias, or added to y. Works in Slot::kNormed, too.
  void Run(const BlockInput& in, const BlockOutput& out, const Step& step) const;

 private:
  kernels::PackedWeight weight_;
  VectorWeight bias_;
  MatrixUpdates updates_;
};

}  // namespace sglrun::model
