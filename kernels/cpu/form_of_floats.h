// The form in which a backend keeps float rows for a requested arithmetic. The host has one that
// devices do not have: int8 in groups of 64.
#pragma once

#include <cstdint>

#include "kernels/backend.h"

namespace sglrun::kernels {

inline WeightForm FormOfFloats(const Backend& backend, tensor::DType dtype, std::int64_t columns) {
  WeightForm form = dtype;
  // With groups of 32, three of eleven steps of a group would go to its scales.
  if (dtype == tensor::DType::kI8 && backend.wide_int8_groups && columns % 64 == 0)
    form.quant.group = 64;
  return form;
}

}  // namespace sglrun::kernels
