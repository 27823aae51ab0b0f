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
}

kernels::NormArgs Norm::Args(tensor::TensorView x, tensor::TensorView y) const {
  return {.x = x, .add = {}, .weight = weight_.view(), .y = y, .eps = spec_->eps};
}

}  // namespace sglrun::model
