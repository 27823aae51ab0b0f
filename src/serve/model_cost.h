// The cost of a token and of a step, computed from the shapes of a model. `bench` converts tokens
// per second to bandwidth and arithmetic with it, and `plan` estimates seconds.
#pragma once

#include <cstdint>

#include "kernels/backend.h"
#include "model/spec/model_spec.h"
#include "tensor/dtype.h"

namespace sglrun::serve {

struct ModelCost {
  double weights = 0;             // numbers in the matrices that a token is multiplied with
  double weight_bytes = 0;        // of these
  double kv_bytes_per_token = 0;  // of one cached position, over all layers
  double attention_flops = 0;     // of one query against one cached position, over all layers

  double Flops(double tokens, double context) const {
    return tokens * (2 * weights + attention_flops * context);
  }
  // One decode step: the weights once, each row's cache once.
  double StepBytes(double rows, double context) const {
    return weight_bytes + rows * context * kv_bytes_per_token;
  }
};

// `weight_bytes`: of the whole model in its resident form.
ModelCost CostOf(const model::ModelSpec& spec, std::int64_t weight_bytes, tensor::DType kv_dtype,
                 const kernels::Backend& backend);

}  // namespace sglrun::serve
