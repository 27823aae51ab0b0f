// The functions of activation (kernels/activation.h), shared by the operation and the products that
// end in it.
#pragma once

#include "kernels/activation.h"
#include "kernels/cpu/exp.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

SGLRUN_INLINE Vec Magnitude(Vec a) {
  return AsFloat(AsInt(a) & SetInt(0x7FFFFFFF));
}

// 1 / (1 + exp(-a)). With e = exp(-|a|), which cannot overflow: 1 / (1 + e) for a >= 0 and
// e / (1 + e) below.
SGLRUN_INLINE Vec Sigmoid(Vec a) {
  const Vec e = Exp(Set(0.0f) - Magnitude(a));
  const Vec numerator = Select(a < Set(0.0f), e, Set(1.0f));
  return numerator / (Set(1.0f) + e);
}

// By its series below 0.2, where 1 - exp(-2 |a|) would cancel; a NaN stays.
SGLRUN_INLINE Vec Tanh(Vec a) {
  const Vec size = Magnitude(a), square = a * a;
  Vec series = Fma(square, Set(-17.0f / 315), Set(2.0f / 15));
  series = Fma(series, square, Set(-1.0f / 3));
  series = Fma(series * square, a, a);
  const Vec e = Exp(Set(-2.0f) * size);
  const Vec above = (Set(1.0f) - e) / (Set(1.0f) + e);
  const IVec sign = AsInt(a) & SetInt(INT32_MIN);
  const Vec large = AsFloat(AsInt(above) | sign);
  return Select(a != a, a, Select(size < Set(0.2f), series, large));
}

// erfc(z) exp(z^2) / t of z >= 0 with t = 1 / (1 + z / 2), as a polynomial of t: least relative
// error over z in [0, 10], 4e-8, fitted by weighted least squares.
SGLRUN_INLINE Vec ScaledErfc(Vec t) {
  Vec p = Fma(t, Set(-0.05906922f), Set(0.28457618f));
  p = Fma(p, t, Set(-0.48720232f));
  p = Fma(p, t, Set(0.27806979f));
  p = Fma(p, t, Set(-0.02662739f));
  p = Fma(p, t, Set(0.20268756f));
  p = Fma(p, t, Set(0.24310359f));
  p = Fma(p, t, Set(0.28237534f));
  return Fma(p, t, Set(0.28208640f));
}

struct SiluFunction {
  SGLRUN_INLINE Vec operator()(Vec a) const { return a * Sigmoid(a); }
};

// The share of a is erfc(-a / sqrt(2)) / 2: half of erfc(z) for a < 0, 1 less that above.
struct GeluFunction {
  SGLRUN_INLINE Vec operator()(Vec a) const {
    const Vec t = Set(1.0f) / Fma(Magnitude(a), Set(0.35355339f), Set(1.0f));
    const Vec half = Set(0.5f) * t * ScaledErfc(t) * Exp(a * a * Set(-0.5f));
    return a * Select(a < Set(0.0f), half, Set(1.0f) - half);
  }
};

// (1 + tanh(u)) / 2 is 1 / (1 + exp(-2 u)).
struct GeluTanhFunction {
  SGLRUN_INLINE Vec operator()(Vec a) const {
    const Vec inner = Fma(a * a * a, Set(0.044715f), a);
    return a * Sigmoid(inner * Set(1.59576912f));
  }
};

struct ReluFunction {
  SGLRUN_INLINE Vec operator()(Vec a) const { return Select(a < Set(0.0f), Set(0.0f), a); }
};

struct Relu2Function {
  SGLRUN_INLINE Vec operator()(Vec a) const {
    const Vec positive = ReluFunction()(a);
    return positive * positive;
  }
};

struct SoftcapFunction {
  float cap;
  SGLRUN_INLINE Vec operator()(Vec a) const { return Set(cap) * Tanh(a / Set(cap)); }
};

// body(function), once, for the function of the call.
template <class Body>
SGLRUN_INLINE void WithActivation(const ActivationArgs& args, const Body& body) {
  switch (args.kind) {
    case ActivationKind::kSilu:
      return body(SiluFunction());
    case ActivationKind::kGelu:
      return body(GeluFunction());
    case ActivationKind::kGeluTanh:
      return body(GeluTanhFunction());
    case ActivationKind::kRelu:
      return body(ReluFunction());
    case ActivationKind::kRelu2:
      return body(Relu2Function());
    case ActivationKind::kSoftcap:
      return body(SoftcapFunction{args.cap});
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
