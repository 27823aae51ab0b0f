#include "model/blocks/moe.h"

#include "base/check.h"

namespace sglrun::model {
namespace {

const ExpertNames kRouted = {
    .router = "mlp.gate",
    .gguf_router = "ffn_gate_inp",
    .experts = {.prefix = "mlp.experts.", .gguf_ending = "."},
};
const MlpNames kShared = {.prefix = "mlp.shared_expert.", .gguf_ending = "_shexp"};

}  // namespace

Moe::Moe(const MoeSpec& spec, std::int64_t hidden)
    : hidden_(hidden), routed_(spec.router, spec.expert, hidden, kRouted) {
  if (!spec.shared) return;
  if (spec.shared_gate) {
    const RouterSpec gate{.experts = 1, .chosen = 1, .score = kernels::RouteScore::kSigmoid};
    gated_shared_.emplace(gate, *spec.shared, hidden,
                          ExpertNames{.router = "mlp.shared_expert_gate",
                                      .gguf_router = "ffn_gate_inp_shexp",
                                      .experts = kShared,
                                      .are_numbered = false});
  } else {
    shared_.emplace(*spec.shared, hidden, kShared);
  }
}

void Moe::List(WeightList& list) {
  routed_.List(list);
  if (gated_shared_) gated_shared_->List(list);
  if (shared_) shared_->List(list);
}

void Moe::AddColumns(Columns& columns) const {
  columns.Need(Slot::kNormed, hidden_);
  routed_.AddColumns(columns);
  if (gated_shared_) gated_shared_->AddColumns(columns);
  if (shared_) shared_->AddColumns(columns);
}

void Moe::Run(const BlockInput& in, const BlockOutput& out, const Step& step) const {
  tensor::TensorView x = in.x;
  if (in.norm.is_present()) {
    x = step.scratch.Take(Slot::kNormed, in.x.shape[0], hidden_);
    step.table.norm(in.norm.Args(in.x, x), step.context);
  }
  CHECK(x.data != out.y.data) << "experts add to what the next of them reads";
  routed_.Run(x, out, step);
  BlockOutput more = out;
  more.accumulate = true;
  if (gated_shared_) gated_shared_->Run(x, more, step);
  if (shared_) shared_->Run({x, no_norm_}, more, step);
}

}  // namespace sglrun::model
