#include "grammar/base/limits.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/stop_flag.h"

namespace sglrun::grammar {
const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kUnsatisfiable:
      return "unsatisfiable";
    case Verdict::kUnreachable:
      return "unreachable";
    case Verdict::kTooLarge:
      return "too_large";
    case Verdict::kStopped:
      return "stopped";
  }
  return "";
}

Limits Limits::WithoutWork() {
  Limits limits;
  limits.product_steps = limits.compile_steps = std::numeric_limits<std::int64_t>::max();
  limits.obeys_stop = false;
  return limits;
}

Result<void, GrammarError> Budget::Look(const char* doing) {
  constexpr std::int64_t kStepsPerLook = 1'000'000;
  if (limits_->obeys_stop && StopFlag::requested()) {
    return GrammarError{Verdict::kStopped, std::string("stopped while ") + doing};
  }
  if (steps_ >= limits_->compile_steps) {
    return GrammarError{Verdict::kTooLarge, "compiling takes more than " +
                                                std::to_string(limits_->compile_steps) +
                                                " steps (while " + doing + ")"};
  }
  const std::int64_t left = limits_->compile_steps - steps_;
  next_look_ = steps_ + std::min(left, kStepsPerLook);
  return {};
}

}  // namespace sglrun::grammar
