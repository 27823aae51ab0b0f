// A vector of a model in its resident form: float32 in the backend's memory.
#pragma once

#include <cstdint>

#include "kernels/backend.h"
#include "tensor/buffer.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

// f32 [n], or empty when the model has none.
struct VectorWeight {
  std::int64_t n = 0;
  tensor::Buffer data;

  // Writes `count` of the host's values from entry `first` on.
  void Fill(const float* values, std::int64_t count, std::int64_t first,
            const kernels::Backend& backend, kernels::KernelContext& context) {
    backend.table.upload(data.as<float>() + first, values,
                         static_cast<std::size_t>(count) * sizeof(float), context);
  }

  tensor::TensorView view() const {
    return n == 0 ? tensor::TensorView{} : tensor::MakeView(data.data(), tensor::DType::kF32, {n});
  }
};

}  // namespace sglrun::model
