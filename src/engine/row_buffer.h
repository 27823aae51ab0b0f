// A float32 matrix of at most `capacity` rows in the backend's memory, seen through views of its
// first rows. Kept for the life of the engine, so that a step allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>

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

  // The rows of `from` that are named, one after the other: `from` itself where those are its first
  // ones, else copies in this buffer.
  tensor::TensorView Gather(tensor::TensorView from, std::span<const std::int32_t> rows,
                            const kernels::Backend& backend,
                            kernels::KernelContext& context) const {
    const auto count = static_cast<std::int64_t>(rows.size());
    bool are_first = true;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      are_first &= rows[r] == static_cast<std::int32_t>(r);
    }
    if (are_first) {
      from.shape[0] = count;
      return from;
    }
    const tensor::TensorView out = Rows(count);
    std::array<kernels::StagedArray, 1> staged = {{{rows.data(), rows.size_bytes()}}};
    backend.table.stage(staged, context);
    const std::span there(static_cast<const std::int32_t*>(staged[0].data), rows.size());
    backend.table.gather_rows({.in = from, .rows = there, .out = out}, context);
    return out;
  }

 private:
  std::int64_t width_;
  std::int64_t capacity_;
  tensor::Buffer buffer_;
};

}  // namespace sglrun::engine
