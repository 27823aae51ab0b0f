#include "model/blocks/linear.h"

#include "model/blocks/norm.h"

namespace sglrun::model {
namespace {

Source SourceOf(const LinearPart& part, const char* kind) {
  return {.name = part.name + kind,
          .gguf_name = part.gguf_name + kind,
          .rows = part.rows,
          .rotated = part.rotated,
          .fused = part.fused};
}

}  // namespace

void Linear::List(const std::vector<LinearPart>& parts, std::int64_t k, bool has_bias,
                  WeightList& list, const MatrixUse& use) {
  MatrixEntry matrix{.to = &weight_, .k = k, .use = use};
  if (use.takes_adapters) matrix.updates = &updates_;
  VectorEntry bias{.to = &bias_};
  for (const LinearPart& part : parts) {
    matrix.n += part.rows;
    matrix.from.push_back(SourceOf(part, ".weight"));
    bias.from.push_back(SourceOf(part, ".bias"));
  }
  list.Matrix(matrix);
  bias.n = matrix.n;
  if (has_bias) list.Vector(bias);
}

kernels::GemmArgs Linear::Args(tensor::TensorView x, const BlockOutput& out) const {
  return {.x = x,
          .weight = &weight_,
          .bias = bias_.view(),
          .y = out.y,
          .accumulate = out.accumulate,
          .alpha = out.scale};
}

void Linear::Multiply(tensor::TensorView x, const BlockOutput& out, const Step& step) const {
  AdaptedGemm(Args(x, out), updates_, step.adapted());
}

void Linear::AddColumns(Columns& columns) const {
  columns.Need(Slot::kLowRank, updates_.most_ranks());
  if (updates_.has_gains()) columns.Need(Slot::kAdapted, weight_.n);
}

void Linear::Run(const BlockInput& in, const BlockOutput& out, const Step& step) const {
  if (!in.norm.is_present()) return Multiply(in.x, out, step);
  const tensor::TensorView normed = step.scratch.Take(Slot::kNormed, in.x.shape[0], in.x.shape[1]);
  if (!IsPlain(step)) {
    step.table.norm(in.norm.Args(in.x, normed), step.context);
    return Multiply(normed, out, step);
  }
  step.table.norm_gemm(step.table, {.norm = in.norm.Args(in.x, normed), .gemm = Args(normed, out)},
                       step.context);
}

}  // namespace sglrun::model
