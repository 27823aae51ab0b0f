// cos and sin of every position's angles, computed when a step first needs them, in the backend's
// memory.
#pragma once

#include <cstdint>

#include "kernels/backend.h"
#include "model/spec/model_spec.h"
#include "tensor/buffer.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

class RopeTable {
 public:
  explicit RopeTable(RopeSpec config) : config_(std::move(config)) {}

  // Makes positions [0, positions) available; grows by doubling.
  void Ensure(std::int64_t positions, const kernels::Backend& backend,
              kernels::KernelContext& context);
  // So many and no more; false when there is no memory for them.
  bool Reserve(std::int64_t positions, const kernels::Backend& backend,
               kernels::KernelContext& context);
  static std::int64_t Bytes(std::int64_t positions, const RopeSpec& config) {
    return positions * config.rotary_dim * static_cast<std::int64_t>(sizeof(float));
  }

  // f32 [positions, rotary_dim / 2]
  tensor::TensorView cos() const { return View(cos_); }
  tensor::TensorView sin() const { return View(sin_); }

 private:
  std::int64_t pairs() const { return config_.rotary_dim / 2; }
  tensor::TensorView View(const tensor::Buffer& buffer) const {
    return tensor::MakeView(buffer.data(), tensor::DType::kF32, {positions_, pairs()});
  }

  RopeSpec config_;
  std::int64_t positions_ = 0;
  tensor::Buffer cos_, sin_;
};

}  // namespace sglrun::model
