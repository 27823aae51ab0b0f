#include "jinja/meter.h"

#include <algorithm>
#include <string>

#include "base/stop_flag.h"

namespace sglrun::jinja {
namespace {

// How much work passes between two looks at the flag: a tenth of a millisecond.
constexpr std::size_t kStepsPerLook = 1000;

}  // namespace

Meter::Meter(const Limits& limits, Memory memory)
    : limits_(limits), memory_(memory), outer_(std::exchange(current_, this)) {}

void Meter::Look() {
  const std::size_t limit = static_cast<std::size_t>(limits_.steps) * kUnitsPerStep;
  if (used_ > limit) {
    throw LimitReached{
        LimitFault("the template takes more than " + std::to_string(limits_.steps) + " steps")};
  }
  if (StopFlag::requested()) throw LimitReached{{FaultKind::kStopped, "stopped by a signal"}};
  next_look_ = std::min(limit + 1, used_ + kStepsPerLook * kUnitsPerStep);
}

void Meter::Hold(std::size_t bytes) {
  if (bytes > limits_.live_bytes - held_) {
    throw LimitReached{LimitFault("the template holds more than " +
                                  std::to_string(limits_.live_bytes) +
                                  " bytes of texts and lists at once")};
  }
  held_ += bytes;
}

void Meter::NeedText(std::size_t bytes) {
  if (bytes <= kMaxTextBytes) return;
  throw LimitReached{
      LimitFault("a text is longer than " + std::to_string(kMaxTextBytes) + " bytes")};
}

void Meter::NeedItems(std::size_t count) {
  if (count <= kMaxItems) return;
  throw LimitReached{LimitFault("a list has more than " + std::to_string(kMaxItems) + " items")};
}

void Meter::NeedDepth(const char* what, int depth, int most) {
  if (depth <= most) return;
  throw LimitReached{LimitFault(std::string(what) + " is nested more than " + std::to_string(most) +
                                " levels deep")};
}

}  // namespace sglrun::jinja
