#include "model/blocks/experts.h"

#include <utility>

namespace sglrun::model {

Experts::Experts(const RouterSpec& router, const MlpSpec& expert, std::int64_t hidden,
                 ExpertNames names)
    : router_spec_(router),
      expert_spec_(expert),
      hidden_(hidden),
      names_(std::move(names)),
      experts_(static_cast<std::size_t>(router.experts)) {}

MlpNames Experts::NamesOf(std::size_t expert) const {
  if (!names_.are_numbered) return names_.experts;
  const std::string number = std::to_string(expert);
  return {names_.experts.prefix + number + ".", names_.experts.gguf_ending + number};
}

void Experts::List(WeightList& list) {
  // Routers stay exact, because rounding could change which experts are chosen.
  router_.List({{names_.router, names_.gguf_router, router_spec_.experts}}, hidden_, false, list,
               {.is_exact = true, .takes_adapters = false});
  if (router_spec_.choice_bias) {
    list.Vector({.to = &choice_bias_,
                 .n = router_spec_.experts,
                 .from = {{.name = names_.router + ".e_score_correction_bias",
                           .gguf_name = "exp_probs_b.bias",
                           .rows = router_spec_.experts}}});
  }
  const MatrixUse use{
      .share = static_cast<double>(router_spec_.chosen) / static_cast<double>(router_spec_.experts),
      .takes_adapters = false};
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    experts_[e].List(expert_spec_, hidden_, NamesOf(e), use, list);
  }
}

void Experts::AddColumns(Columns& columns) const {
  columns.Need(Slot::kRouter, router_spec_.experts);
  columns.Need(Slot::kChosen, router_spec_.chosen);
  columns.Need(Slot::kShares, router_spec_.chosen);
  columns.Need(Slot::kExpertRows, hidden_);
  columns.Need(Slot::kGateUp, expert_spec_.wide());
  columns.Need(Slot::kInner, expert_spec_.inner);
}

void Experts::Route(tensor::TensorView x, tensor::TensorView experts, tensor::TensorView weights,
                    const Step& step) const {
  const tensor::TensorView logits =
      step.scratch.Take(Slot::kRouter, x.shape[0], router_spec_.experts);
  step.table.gemm(router_.Args(x, {logits}), step.context);
  step.table.route({.score = router_spec_.score,
                    .renormalise = router_spec_.renormalise,
                    .scale = router_spec_.scale,
                    .logits = logits,
                    .choice_bias = choice_bias_.view(),
                    .experts = experts,
                    .weights = weights},
                   step.context);
}

std::vector<kernels::ExpertWeights> Experts::Weights() const {
  std::vector<kernels::ExpertWeights> weights;
  weights.reserve(experts_.size());
  for (const MlpWeights& expert : experts_) {
    weights.push_back({.gate_up = &expert.gate_up.weight(),
                       .down = &expert.down.weight(),
                       .gate_up_bias = expert.gate_up.bias(),
                       .down_bias = expert.down.bias()});
  }
  return weights;
}

void Experts::Run(tensor::TensorView x, const BlockOutput& out, const Step& step) const {
  const std::int64_t rows = x.shape[0];
  tensor::TensorView chosen = step.scratch.Take(Slot::kChosen, rows, router_spec_.chosen);
  chosen.dtype = tensor::DType::kI32;
  const tensor::TensorView shares = step.scratch.Take(Slot::kShares, rows, router_spec_.chosen);
  Route(x, chosen, shares, step);
  const std::vector<kernels::ExpertWeights> weights = Weights();
  step.table.expert_mlp(
      step.table,
      {.x = x,
       .experts = chosen,
       .weights = shares,
       .of = weights,
       .activation = {.kind = expert_spec_.activation,
                      .gated = expert_spec_.gated,
                      .x = step.scratch.Take(Slot::kGateUp, rows, expert_spec_.wide()),
                      .y = step.scratch.Take(Slot::kInner, rows, expert_spec_.inner)},
       .rows = step.scratch.Take(Slot::kExpertRows, rows, hidden_),
       .y = out.y,
       .accumulate = out.accumulate,
       .alpha = out.scale},
      step.context);
}

}  // namespace sglrun::model
