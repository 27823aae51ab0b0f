// Packed weights of the CPU backend: panels of 64 outputs. Inside a panel, step by step along K,
// the 64 outputs lie side by side: float32 [K][64], bf16 [ceil(K / 2)][64][2]. A panel is one
// stream of memory, and stays in the second-level cache while all rows of a batch pass over it.
#pragma once

#include <cstdint>

#include "kernels/packed_weight.h"

namespace sglrun::kernels::cpu {

inline constexpr std::int64_t kPanelWidth = 64;

constexpr std::int64_t PanelCount(std::int64_t n) {
  return (n + kPanelWidth - 1) / kPanelWidth;
}

// Steps along K: pairs for bf16, the last one padded with a zero when K is odd.
constexpr std::int64_t StepCount(std::int64_t k, tensor::DType dtype) {
  return dtype == tensor::DType::kBF16 ? (k + 1) / 2 : k;
}

// Both forms spend four bytes on an output of a step.
constexpr std::int64_t PanelLanes(std::int64_t k, tensor::DType dtype) {
  return StepCount(k, dtype) * kPanelWidth;
}

// The lane of `row` at `step`; the next step is kPanelWidth further.
__attribute__((always_inline)) inline std::uint32_t* PanelLane(const PackedWeight& weight,
                                                               std::int64_t row,
                                                               std::int64_t step) {
  auto* lanes = static_cast<std::uint32_t*>(weight.data.data());
  return lanes + row / kPanelWidth * PanelLanes(weight.k, weight.dtype) + step * kPanelWidth +
         row % kPanelWidth;
}

}  // namespace sglrun::kernels::cpu
