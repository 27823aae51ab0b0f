// The norm of a layer or of the whole model, or its absence.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/norm.h"
#include "model/blocks/weight_list.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class Norm {
 public:
  Norm(const std::optional<NormSpec>& spec, std::int64_t size) : spec_(spec), size_(size) {}

  bool is_present() const { return spec_.has_value(); }
  void List(WeightList& list);
  // Of a norm that is present: x and y f32 [T, size], which may be the same.
  kernels::NormArgs Args(tensor::TensorView x, tensor::TensorView y) const;

 private:
  std::optional<NormSpec> spec_;
  std::int64_t size_;
  VectorWeight weight_, bias_;
};

}  // namespace sglrun::model
