// CHECK(condition) << "values": stops the program if an internal invariant is broken. User data
// must never reach a CHECK; it is refused earlier, with a Result.
#pragma once

#include <sstream>

namespace sglrun {

// Collects the message of a failed CHECK; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

// Gives both arms of the CHECK expression the type void, with lower precedence than <<.
struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace sglrun

#define CHECK(condition)     \
  (condition)                \
      ? static_cast<void>(0) \
      : ::sglrun::CheckVoidify() & ::sglrun::CheckFailure(__FILE__, __LINE__, #condition).stream()

// For inner loops: checked only in builds with assertions.
#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif
