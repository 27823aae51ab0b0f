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
  // Makes exactly `positions` positions available; false if there is no memory for them.
  bool Reserve(std::int64_t positions, const kernels::Backend& backend,
               kernels::KernelContext& context);
  static std::int64_t Bytes(std::int64_t positions, const RopeSpec& config) {
    const std::int64_t tables = config.query_beta != 0 ? 2 : 1;
    return tables * positions * config.rotary_dim * static_cast<std::int64_t>(sizeof(float));
  }

  // f32 [positions, rotary_dim / 2], as keys take them; and times what queries grow by.
  tensor::TensorView cos() const { return View(cos_); }
  tensor::TensorView sin() const { return View(sin_); }
  bool grows() const { return config_.query_beta != 0; }
  tensor::TensorView query_cos() const { return View(grows() ? query_cos_ : cos_); }
  tensor::TensorView query_sin() const { return View(grows() ? query_sin_ : sin_); }

 private:
  std::int64_t pairs() const { return config_.rotary_dim / 2; }
  tensor::TensorView View(const tensor::Buffer& buffer) const {
    return tensor::MakeView(buffer.data(), tensor::DType::kF32, {positions_, pairs()});
  }
  // cos and sin of positions [0, positions) in the backend's memory, times what queries grow by
  // where that is asked for; false when there is no memory for them.
  bool Fill(std::int64_t positions, bool for_queries, const kernels::Backend& backend,
            kernels::KernelContext& context, tensor::Buffer& cos_there,
            tensor::Buffer& sin_there) const;

  RopeSpec config_;
  std::int64_t positions_ = 0;
  tensor::Buffer cos_, sin_, query_cos_, query_sin_;
};

}  // namespace sglrun::model
