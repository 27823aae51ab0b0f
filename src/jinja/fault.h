// Why a template cannot be parsed or rendered. The kinds are Python's exception classes as far as a
// template can distinguish them: `x|int` falls back on a value that cannot be converted, but not on
// an undefined one.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace sglrun::jinja {

enum class FaultKind {
  kSyntax,
  kRaised,  // raise_exception
  kUndefined,
  kSecurity,
  kType,
  kValue,
  kLookup,
  kOverflow,
  kZeroDivision,
  kRuntime,
  kLimit,    // ours: too large, too deep, too long
  kStopped,  // ours: by a signal; it is not shown
};

struct Fault {
  FaultKind kind = FaultKind::kRuntime;
  std::string message;
  int line = 0;  // of the template; 0 while not known
};

template <class T>
using Try = Result<T, Fault>;

inline Fault TypeFault(std::string message) {
  return {FaultKind::kType, std::move(message)};
}
inline Fault ValueFault(std::string message) {
  return {FaultKind::kValue, std::move(message)};
}
inline Fault LimitFault(std::string message) {
  return {FaultKind::kLimit, std::move(message)};
}

}  // namespace sglrun::jinja
