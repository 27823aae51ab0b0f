#include "model/rope_table.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace sglrun::model {
namespace {

constexpr std::int64_t kFirstPositions = 512;

}  // namespace

void RopeTable::Ensure(std::int64_t positions, const kernels::Backend& backend,
                       kernels::KernelContext& context) {
  if (positions <= positions_) return;
  const std::int64_t wanted = std::max({positions, 2 * positions_, kFirstPositions});
  if (!Reserve(wanted, backend, context)) throw std::bad_alloc();
}

bool RopeTable::Reserve(std::int64_t wanted, const kernels::Backend& backend,
                        kernels::KernelContext& context) {
  if (wanted <= positions_) return true;
  const std::size_t bytes = static_cast<std::size_t>(wanted * pairs()) * sizeof(float);
  tensor::Buffer cos(tensor::HostAllocator(), bytes), sin(tensor::HostAllocator(), bytes);
  cos_ = tensor::Buffer();  // room for the new ones
  sin_ = tensor::Buffer();
  tensor::Buffer cos_there(*backend.allocator, bytes), sin_there(*backend.allocator, bytes);
  positions_ = 0;
  if (!cos.ok() || !sin.ok() || !cos_there.ok() || !sin_there.ok()) return false;
  // Old rows are computed again rather than copied: the same bits, and growth is rare.
  context.pool().ParallelFor(wanted, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      for (std::int64_t i = 0; i < pairs(); ++i) {
        // The angle is a float32 product in the reference: the same rounding here, however exact
        // cos and sin are.
        const float angle =
            static_cast<float>(p) * config_.inverse_frequencies[static_cast<std::size_t>(i)];
        const auto exact = static_cast<double>(angle);
        const std::int64_t at = p * pairs() + i;
        cos.as<float>()[at] = static_cast<float>(std::cos(exact)) * config_.attention_factor;
        sin.as<float>()[at] = static_cast<float>(std::sin(exact)) * config_.attention_factor;
      }
    }
  });
  backend.table.upload(cos_there.data(), cos.data(), bytes, context);
  backend.table.upload(sin_there.data(), sin.data(), bytes, context);
  cos_ = std::move(cos_there);
  sin_ = std::move(sin_there);
  positions_ = wanted;
  return true;
}

}  // namespace sglrun::model
