// A float32 matrix of at most `capacity` rows in the backend's memory, seen through views of its
// first rows. Kept for the life of the engine, so that a step allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "kernels/backend.h"
#include "tensor/buffer.h"
#include "tensor/tensor_view.h"

namespace sglrun::engine {

class RowBuffer {
 public:
  RowBuffer(const kernels::Backend& backend, std::int64_t capacity, std::int64_t width)
      : width_(width),
        capacity_(capacity),
        buffer_(*backend.allocator, static_cast<std::size_t>(capacity * width) * sizeof(float)) {}

  bool ok() const { return buffer_.ok(); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(buffer_.bytes()); }
  std::int64_t capacity() const { return capacity_; }

  tensor::TensorView Rows(std::int64_t count) const {
    CHECK(count <= capacity_) << count << " rows of " << capacity_;
    return tensor::MakeView(buffer_.data(), tensor::DType::kF32, {count, width_});
  }

  // Copies one row of `from` to row `to`.
  void CopyRow(tensor::TensorView from, std::int64_t row, std::int64_t to) const {
    std::copy_n(from.row(row), width_, buffer_.as<float>() + to * width_);
  }

 private:
  std::int64_t width_;
  std::int64_t capacity_;
  tensor::Buffer buffer_;
};

}  // namespace sglrun::engine
