// The cost of a token and of a step, computed from the shapes of a model. `bench` converts tokens
// per second to bandwidth and arithmetic with it, and `plan` estimates seconds.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/backend.h"
#include "model/spec/model_spec.h"
#include "tensor/dtype.h"

namespace sglrun::serve {

struct ModelCost {
  double weights = 0;       // numbers in the matrices that a token is multiplied with
  double weight_bytes = 0;  // of those that every token is multiplied with
  double expert_bytes = 0;  // of all experts of which a token takes its share
  double expert_share = 1;
  double kv_bytes_per_token = 0;  // of one cached position, over all layers
  double attention_flops = 0;     // of one query against one cached position, over all layers

  double Flops(double tokens, double context) const {
    return tokens * (2 * weights + attention_flops * context);
  }
  // One decode step: the weights once, experts as far as rows that choose at random take them; each
  // row's cache once.
  double StepBytes(double rows, double context) const {
    const double taken = 1 - std::pow(1 - expert_share, rows);
    return weight_bytes + expert_bytes * taken + rows * context * kv_bytes_per_token;
  }
};

// `weight_bytes`: of the whole model in its resident form.
ModelCost CostOf(const model::ModelSpec& spec, std::int64_t weight_bytes, tensor::DType kv_dtype,
                 const kernels::Backend& backend);

}  // namespace sglrun::serve
