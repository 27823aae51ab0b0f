// Whether this process has been asked to stop. Signal handlers set the flag. Every loop whose
// length depends on a record checks it, so that a signal takes effect within a second for any
// record. Work that is left unfinished because of the flag has no result: no row is written for it.
#pragma once

#include <atomic>

namespace sglrun {

class StopFlag {
 public:
  // As cheap as reading a variable. Safe in any thread.
  static bool requested() { return flag_.load(std::memory_order_relaxed); }
  // Safe in a signal handler.
  static void Request() { flag_.store(true, std::memory_order_relaxed); }
  // For tests, and for programs that continue after an interruption.
  static void Clear() { flag_.store(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  static inline std::atomic<bool> flag_ = false;
};

}  // namespace sglrun
