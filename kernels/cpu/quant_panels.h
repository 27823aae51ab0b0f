// Panels of quantised weights: 64 outputs, group after group along K. A group is one stretch of
// memory:
//
//   scales [64], minima [64] where the form has them, float16 or float32
//   codes  kI8: [steps][64][4], four neighbours of K a step
//          kI4: [steps / 2][64][4], a byte holds an element of the even step in its low half and
//               one of the odd step in its high half
#pragma once

#include <cstdint>

#include "kernels/cpu/panels.h"
#include "kernels/packed_weight.h"

namespace sglrun::kernels::cpu {

inline constexpr std::int64_t kQuantStep = 4;                              // elements of K
inline constexpr std::int64_t kQuantStepBytes = kPanelWidth * kQuantStep;  // of one-byte codes

struct QuantPanel {
  std::int64_t scale_bytes = 0;  // of one scale
  std::int64_t minima = 0;       // where they begin in a group
  std::int64_t codes = 0;        // where they begin in a group
  std::int64_t group_bytes = 0;
  std::int64_t groups = 0;

  constexpr std::int64_t bytes() const { return group_bytes * groups; }
};

constexpr QuantPanel QuantPanelOf(std::int64_t k, const WeightForm& form) {
  const std::int64_t scale_bytes = form.quant.wide_scales ? 4 : 2;
  const std::int64_t minima = scale_bytes * kPanelWidth;
  const std::int64_t codes = form.quant.minima ? 2 * minima : minima;
  const std::int64_t code_bytes =
      kPanelWidth * form.quant.group / (form.dtype == tensor::DType::kI4 ? 2 : 1);
  return {scale_bytes, minima, codes, codes + code_bytes, form.Groups(k)};
}

}  // namespace sglrun::kernels::cpu
