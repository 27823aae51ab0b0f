#include "model/blocks/norm.h"

namespace sglrun::model {

void Norm::List(WeightList& list) {
  if (!spec_) return;
  list.Vector({.to = &weight_,
               .n = size_,
               .from = {{.name = std::string(spec_->name) + ".weight",
                         .gguf_name = std::string(spec_->gguf_name) + ".weight",
                         .rows = size_}},
               .center = 1});
  if (!spec_->bias) return;
  list.Vector({.to = &bias_,
               .n = size_,
               .from = {{.name = std::string(spec_->name) + ".bias",
                         .gguf_name = std::string(spec_->gguf_name) + ".bias",
                         .rows = size_}}});
}

kernels::NormArgs Norm::Args(tensor::TensorView x, tensor::TensorView y) const {
  return {.kind = spec_->kind,
          .x = x,
          .add = {},
          .weight = weight_.view(),
          .y = y,
          .eps = spec_->eps,
          .bias = bias_.view()};
}

}  // namespace sglrun::model
