#include "console/signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/stop_flag.h"
#include "console/exit_codes.h"

namespace sglrun::console {
namespace {

// Signal handlers reach global state only: this code and the StopFlag.
std::atomic<int> stop_code{0};
static_assert(std::atomic<int>::is_always_lock_free);

int CodeOf(int signal_number) {
  return signal_number == SIGINT ? kExitInterrupted : kExitTerminated;
}

void Leave(int signal_number) {
  ::_exit(CodeOf(signal_number));
}

void OnSignal(int signal_number) {
  const int code = CodeOf(signal_number);
  int none = 0;
  if (!stop_code.compare_exchange_strong(none, code) && signal_number == SIGINT) ::_exit(code);
  StopFlag::Request();  // after the code, so that work that stops knows why
}

void HandleStopSignals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read from a terminal or pipe returns, so that the run can stop.
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void LeaveOnStopSignals() {
  HandleStopSignals(Leave);
}

void WatchStopSignals() {
  HandleStopSignals(OnSignal);
}

int StopCode() {
  return stop_code.load();
}

}  // namespace sglrun::console
