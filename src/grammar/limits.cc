#include "grammar/limits.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

namespace sglrun::grammar {
namespace {

std::chrono::nanoseconds ThreadTime() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

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
  }
  return "";
}

Limits Limits::WithoutWork() {
  Limits limits;
  limits.product_steps = limits.compile_steps = std::numeric_limits<std::int64_t>::max();
  limits.compile_time = std::chrono::hours(1);
  return limits;
}

Budget::Budget(const Limits& limits) : limits_(&limits), end_(ThreadTime() + limits.compile_time) {}

Result<void, GrammarError> Budget::Look(const char* doing) {
  constexpr std::int64_t kStepsPerLook = 1'000'000;
  const auto too_large = [&](const std::string& bound) {
    return GrammarError{Verdict::kTooLarge,
                        "compiling takes more than " + bound + " (while " + doing + ")"};
  };
  if (steps_ >= limits_->compile_steps) {
    return too_large(std::to_string(limits_->compile_steps) + " steps");
  }
  if (ThreadTime() >= end_) {
    return too_large(std::to_string(limits_->compile_time.count()) + " ms");
  }
  const std::int64_t left = limits_->compile_steps - steps_;
  next_look_ = steps_ + std::min(left, kStepsPerLook);
  return {};
}

}  // namespace sglrun::grammar
