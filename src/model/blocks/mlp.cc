#include "model/blocks/mlp.h"

#include "model/blocks/norm.h"

namespace sglrun::model {

void MlpWeights::List(const MlpSpec& spec, std::int64_t hidden, const MlpNames& names,
                      const MatrixUse& use, WeightList& list) {
  const auto part = [&](const char* name, const char* gguf_name, std::int64_t rows) {
    return LinearPart{names.prefix + name, gguf_name + names.gguf_ending, rows};
  };
  std::vector<LinearPart> parts = {part("gate_proj", "ffn_gate", spec.inner),
                                   part("up_proj", "ffn_up", spec.inner)};
  if (!spec.gated) parts.erase(parts.begin());
  if (spec.fused) parts = {part("gate_up_proj", "ffn_up", spec.wide())};
  gate_up.List(parts, hidden, spec.bias, list, use);
  down.List({part("down_proj", "ffn_down", hidden)}, spec.inner, spec.bias, list, use);
}

void Mlp::List(WeightList& list) {
  weights_.List(spec_, hidden_, names_, {}, list);
}

void Mlp::AddColumns(Columns& columns) const {
  columns.Need(Slot::kNormed, hidden_);
  columns.Need(Slot::kGateUp, spec_.wide());
  columns.Need(Slot::kInner, spec_.inner);
  weights_.gate_up.AddColumns(columns);
  weights_.down.AddColumns(columns);
}

void Mlp::Run(const BlockInput& in, const BlockOutput& out, const Step& step) const {
  const std::int64_t rows = in.x.shape[0];
  const tensor::TensorView gate_up = step.scratch.Take(Slot::kGateUp, rows, spec_.wide());
  const tensor::TensorView inner = step.scratch.Take(Slot::kInner, rows, spec_.inner);
  const kernels::ActivationArgs activation{
      .kind = spec_.activation, .gated = spec_.gated, .x = gate_up, .y = inner};
  const bool is_plain = weights_.gate_up.IsPlain(step) && weights_.down.IsPlain(step);
  if (in.norm.is_present() && is_plain) {
    const tensor::TensorView normed = step.scratch.Take(Slot::kNormed, rows, hidden_);
    return step.table.mlp(step.table,
                          {.norm = in.norm.Args(in.x, normed),
                           .gate_up = weights_.gate_up.Args(normed, {gate_up}),
                           .activation = activation,
                           .down = weights_.down.Args(inner, out)},
                          step.context);
  }
  weights_.gate_up.Run(in, {gate_up}, step);
  step.table.activation(activation, step.context);
  weights_.down.Multiply(inner, out, step);
}

}  // namespace sglrun::model
