// exp and 2^x of sixteen lanes for arguments up to 0, relative error 3e-7, no library call. Values
// below the smallest normal float32 become 0, so that a masked -inf gives 0.
#pragma once

#include "kernels/common/exp2_exact.h"
#include "kernels/cpu/vec.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// 2^n * 2^f for whole n from -289 (e^-200) to 0 and |f| <= 1/2, n as the sum n + kRoundMagic, whose
// bits end in those of n. If n underflows the exponent (down to -383), the integer is negative and
// the result is 0, like the values below the normal ones.
SGLRUN_INLINE Vec ScaledExp2(Vec n_and_magic, Vec f) {
  Vec p = Fma(Set(kExp2C6), f, Set(kExp2C5));
  p = Fma(p, f, Set(kExp2C4));
  p = Fma(p, f, Set(kExp2C3));
  p = Fma(p, f, Set(kExp2C2));
  p = Fma(p, f, Set(kExp2C1));
  p = Fma(p, f, Set(1.0f));
  const IVec scaled = AsInt(p) + ShiftLeft(AsInt(n_and_magic), 23);
  return AsFloat(Select(scaled < SetInt(0x00800000), SetInt(0), scaled));
}

SGLRUN_INLINE Vec Exp2(Vec x) {
  // The magic number rounds only below 2^22; anything under -200 gives 0 anyhow.
  x = Max(x, Set(-200.0f));
  const Vec n = x + Set(kRoundMagic);
  return ScaledExp2(n, x - (n - Set(kRoundMagic)));
}

SGLRUN_INLINE Vec Exp(Vec x) {
  x = Max(x, Set(-200.0f));
  const Vec n_and_magic = x * Set(kLog2E) + Set(kRoundMagic);
  const Vec n = n_and_magic - Set(kRoundMagic);
  // x - n ln 2 in two steps: the first constant has 10 bits, so its product with n is exact (Cody
  // and Waite 1980). One product alone would leave an error that grows with x.
  const Vec reduced = (x - n * Set(0.693359375f)) - n * Set(-2.12194440e-4f);
  return ScaledExp2(n_and_magic, reduced * Set(kLog2E));
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
