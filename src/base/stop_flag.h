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
  // Safe in a signal handler. `exit_code` is what the program ends with; the first one counts.
  static void Request(int exit_code = 0) {
    int none = 0;
    exit_code_.compare_exchange_strong(none, exit_code);
    flag_.store(true);  // after the code, so that work that stops knows why
  }
  // 0 if no signal asked for one.
  static int exit_code() { return exit_code_.load(); }

  // From now on the program obeys the flag, because there is work that can be continued. Before, a
  // signal that asks to stop may end it at once.
  static void Watch() { watched_.store(true); }
  static bool watched() { return watched_.load(); }

  // For tests, and for programs that continue after an interruption.
  static void Clear() { flag_.store(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
  static inline std::atomic<bool> flag_ = false, watched_ = false;
  static inline std::atomic<int> exit_code_ = 0;
};

}  // namespace sglrun
