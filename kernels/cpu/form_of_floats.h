// The form in which a backend keeps rows of floats of which an arithmetic is asked for. The host
// has one that devices have not: int8 in groups of 64.
#pragma once

#include <cstdint>

#include "kernels/backend.h"

namespace sglrun::kernels {

inline WeightForm FormOfFloats(const Backend& backend, tensor::DType dtype, std::int64_t columns) {
  WeightForm form = dtype;
  // There three of eleven steps of a group of 32 go to its scales (README.md tells the loss).
  if (dtype == tensor::DType::kI8 && backend.wide_int8_groups && columns % 64 == 0)
    form.quant.group = 64;
  return form;
}

}  // namespace sglrun::kernels
