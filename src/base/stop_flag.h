// Whether this process has been asked to stop. Signal handlers raise the flag; every loop whose
// length a record decides looks at it, so that a signal is obeyed within a second whatever a record
// says. Work that is left unfinished because of the flag has no outcome: no row is written for it.
#pragma once

#include <atomic>

namespace sglrun {

class StopFlag {
 public:
  // As cheap as reading a variable. Safe in any thread.
  static bool requested() { return flag_.load(std::memory_order_relaxed); }
  // Safe in a signal handler.
  static void Request() { flag_.store(true, std::memory_order_relaxed); }
  // For tests, and for programs that go on after an interruption.
  static void Clear() { flag_.store(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  static inline std::atomic<bool> flag_ = false;
};

}  // namespace sglrun
