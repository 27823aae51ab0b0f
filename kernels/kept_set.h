// The kept set of one row with the integer weights behind it, for kernels/ref and for KeptSet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace sglrun::kernels {

struct WeightedToken {
  std::int32_t id = 0;
  std::uint32_t weight = 0;  // > 0
};

// In rank order; empty when no token can be picked.
std::vector<WeightedToken> KeptWeights(std::span<const float> row, float temperature,
                                       std::int32_t top_k, double top_p, double min_p,
                                       std::span<const std::uint32_t> sampleable);

}  // namespace sglrun::kernels
