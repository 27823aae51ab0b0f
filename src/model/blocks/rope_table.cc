#include "model/blocks/rope_table.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace sglrun::model {
namespace {

constexpr std::int64_t kFirstPositions = 512;

float QueryGrowth(const RopeSpec& rope, std::int64_t position) {
  const double periods = std::floor(static_cast<double>(position) / rope.query_period);
  return static_cast<float>(1 + rope.query_beta * std::log1p(periods));
}

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
  positions_ = 0;
  // Old rows are computed again rather than copied: the same bits, and growth is rare.
  if (!Fill(wanted, false, backend, context, cos_, sin_)) return false;
  if (grows() && !Fill(wanted, true, backend, context, query_cos_, query_sin_)) return false;
  positions_ = wanted;
  return true;
}

bool RopeTable::Fill(std::int64_t positions, bool for_queries, const kernels::Backend& backend,
                     kernels::KernelContext& context, tensor::Buffer& cos_there,
                     tensor::Buffer& sin_there) const {
  const std::size_t bytes = static_cast<std::size_t>(positions * pairs()) * sizeof(float);
  tensor::Buffer cos(tensor::HostAllocator(), bytes), sin(tensor::HostAllocator(), bytes);
  cos_there = tensor::Buffer();  // room for the new ones
  sin_there = tensor::Buffer();
  cos_there = tensor::Buffer(*backend.allocator, bytes);
  sin_there = tensor::Buffer(*backend.allocator, bytes);
  if (!cos.ok() || !sin.ok() || !cos_there.ok() || !sin_there.ok()) return false;
  context.pool().ParallelFor(positions, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const float growth = for_queries ? QueryGrowth(config_, p) : 1.0f;
      const float factor = config_.attention_factor * growth;
      for (std::int64_t i = 0; i < pairs(); ++i) {
        // The angle is a float32 product in the reference, so it is rounded to float32 here too,
        // although cos and sin are more exact.
        const float angle =
            static_cast<float>(p) * config_.inverse_frequencies[static_cast<std::size_t>(i)];
        const auto exact = static_cast<double>(angle);
        const std::int64_t at = p * pairs() + i;
        cos.as<float>()[at] = static_cast<float>(std::cos(exact)) * factor;
        sin.as<float>()[at] = static_cast<float>(std::sin(exact)) * factor;
      }
    }
  });
  backend.table.upload(cos_there.data(), cos.data(), bytes, context);
  backend.table.upload(sin_there.data(), sin.data(), bytes, context);
  return true;
}

}  // namespace sglrun::model
