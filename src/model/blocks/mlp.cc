#include "model/blocks/mlp.h"

#include "model/blocks/norm.h"

namespace sglrun::model {

void Mlp::List(WeightList& list) {
  std::vector<LinearPart> parts = {{"mlp.gate_proj", "ffn_gate", spec_.inner},
                                   {"mlp.up_proj", "ffn_up", spec_.inner}};
  if (!spec_.gated) parts.erase(parts.begin());
  if (spec_.fused) parts = {{"mlp.gate_up_proj", "ffn_up", spec_.wide()}};
  gate_up_.List(parts, hidden_, spec_.bias, list);
  down_.List({{"mlp.down_proj", "ffn_down", hidden_}}, spec_.inner, spec_.bias, list);
}

void Mlp::AddColumns(Columns& columns) const {
  columns.Need(Slot::kNormed, hidden_);
  columns.Need(Slot::kGateUp, spec_.wide());
  columns.Need(Slot::kInner, spec_.inner);
}

void Mlp::Run(const BlockInput& in, const BlockOutput& out, const Step& step) const {
  const std::int64_t rows = in.x.shape[0];
  const tensor::TensorView gate_up = step.scratch.Take(Slot::kGateUp, rows, spec_.wide());
  const tensor::TensorView inner = step.scratch.Take(Slot::kInner, rows, spec_.inner);
  const kernels::ActivationArgs activation{
      .kind = spec_.activation, .gated = spec_.gated, .x = gate_up, .y = inner};
  if (in.norm.is_present()) {
    const tensor::TensorView normed = step.scratch.Take(Slot::kNormed, rows, hidden_);
    return step.table.mlp(step.table,
                          {.norm = in.norm.Args(in.x, normed),
                           .gate_up = gate_up_.Args(normed, {gate_up}),
                           .activation = activation,
                           .down = down_.Args(inner, out)},
                          step.context);
  }
  step.table.gemm(gate_up_.Args(in.x, {gate_up}), step.context);
  step.table.activation(activation, step.context);
  step.table.gemm(down_.Args(inner, out), step.context);
}

}  // namespace sglrun::model
