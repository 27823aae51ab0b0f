// The gate of silu_and_mul, shared by the operation and the products that end in it.
#pragma once

#include "kernels/cpu/exp.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// With e = exp(-|a|), which cannot overflow: 1 / (1 + exp(-a)) is 1 / (1 + e) for a >= 0 and
// e / (1 + e) below.
SGLRUN_INLINE Vec Silu(Vec a) {
  const Vec magnitude = AsFloat(AsInt(a) & SetInt(0x7FFFFFFF));
  const Vec e = Exp(Set(0.0f) - magnitude);
  const Vec numerator = Select(a < Set(0.0f), e, Set(1.0f));
  return a * (numerator / (Set(1.0f) + e));
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
