#include "model/blocks/scratch.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "base/check.h"

namespace sglrun::model {
namespace {

std::optional<std::int64_t> FloatBytes(std::int64_t rows, std::int64_t columns) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, columns * std::int64_t{sizeof(float)}, &bytes)) return {};
  return bytes;
}

}  // namespace

void Columns::Need(Slot slot, std::int64_t columns) {
  std::int64_t& most = of_[static_cast<std::size_t>(slot)];
  most = std::max(most, columns);
}

std::optional<std::int64_t> Columns::Bytes(std::int64_t rows) const {
  return FloatBytes(rows, std::accumulate(of_.begin(), of_.end(), std::int64_t{0}));
}

bool Scratch::Grow(Slot slot, std::int64_t rows) {
  const std::optional<std::int64_t> bytes = FloatBytes(rows, columns_[slot]);
  if (!bytes) return false;
  tensor::Buffer& buffer = buffers_[static_cast<std::size_t>(slot)];
  const auto size = static_cast<std::size_t>(*bytes);
  if (buffer.bytes() < size) buffer = tensor::Buffer(*allocator_, size);
  return buffer.ok();
}

bool Scratch::Reserve(std::int64_t rows) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    const auto slot = static_cast<Slot>(i);
    if (columns_[slot] > 0 && !Grow(slot, rows)) return false;
  }
  return true;
}

tensor::TensorView Scratch::Take(Slot slot, std::int64_t rows, std::int64_t columns) {
  CHECK(columns <= columns_[slot]) << columns << " of " << columns_[slot] << " columns";
  if (!Grow(slot, rows)) throw std::bad_alloc();
  return tensor::MakeView(buffers_[static_cast<std::size_t>(slot)].data(), tensor::DType::kF32,
                          {rows, columns});
}

}  // namespace sglrun::model
