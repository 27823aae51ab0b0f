#include "grammar/limits.h"

#include <string>

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
  }
  return "";
}

Budget::Budget(const Limits& limits)
    : limits_(&limits), end_(std::chrono::steady_clock::now() + limits.compile_time) {}

Result<void, GrammarError> Budget::Spend(const char* doing) {
  constexpr std::uint32_t kCallsPerLook = 1024;
  if (++calls_ % kCallsPerLook != 0) return {};
  return SpendNow(doing);
}

Result<void, GrammarError> Budget::SpendNow(const char* doing) const {
  if (std::chrono::steady_clock::now() < end_) return {};
  return GrammarError{Verdict::kTooLarge, std::string("compiling takes longer than ") +
                                              std::to_string(limits_->compile_time.count()) +
                                              " ms (while " + doing + ")"};
}

}  // namespace sglrun::grammar
