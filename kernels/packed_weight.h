// A weight matrix W [N, K] in a backend's own layout, made once at load. Only the backend that
// packed it can read it.
//
// Rows arrive as float32, in any order and any grouping, so that a loader can stream dequantised
// rows and several source matrices can share one packed matrix (q, k and v; gate and up).
#pragma once

#include <cstdint>
#include <string>

#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct PackedWeight {
  std::int64_t n = 0;                         // output features
  std::int64_t k = 0;                         // input features
  tensor::DType dtype = tensor::DType::kF32;  // kF32 or kBF16: form of the products
  tensor::Buffer data;
};

struct PackRowsArgs {
  PackedWeight* weight = nullptr;  // data allocated with PackedWeightBytes
  std::int64_t first_row = 0;      // where rows[0] goes
  tensor::TensorView rows;         // f32 [r, K], row stride free
};

std::string Check(const PackRowsArgs& args);

}  // namespace sglrun::kernels
