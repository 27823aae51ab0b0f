// A typed view of memory that it does not own: pointer, extents, strides. Kernels take these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/check.h"
#include "tensor/dtype.h"

namespace sglrun::tensor {

inline constexpr int kMaxRank = 4;

// Strides count elements; the last axis is contiguous in every kernel contract unless it says
// otherwise. An empty view (data == nullptr) stands for an absent optional operand.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> stride{};

  bool empty() const { return data == nullptr; }

  float* f32() const { return static_cast<float*>(data); }

  // Row r of a 2-D f32 view.
  float* row(std::int64_t r) const {
    DCHECK(dtype == DType::kF32 && rank == 2);
    return f32() + r * stride[0];
  }

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= shape[static_cast<std::size_t>(i)];
    return product;
  }

  std::string ToString() const;  // "f32[3, 64]"
};

// A contiguous view.
inline TensorView MakeView(void* data, DType dtype, std::initializer_list<std::int64_t> shape) {
  CHECK(shape.size() <= kMaxRank) << shape.size();
  TensorView view{data, dtype, static_cast<int>(shape.size()), {}, {}};
  std::size_t axis = 0;
  for (const std::int64_t extent : shape) view.shape[axis++] = extent;
  std::int64_t stride = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    view.stride[static_cast<std::size_t>(i)] = stride;
    stride *= view.shape[static_cast<std::size_t>(i)];
  }
  return view;
}

}  // namespace sglrun::tensor
