#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include "base/stop_flag.h"
#include "console/exit_codes.h"

namespace sglrun::cli {
namespace {

void OnStopSignal(int signal_number) {
  const bool is_interrupt = signal_number == SIGINT;
  const int code = is_interrupt ? console::kExitInterrupted : console::kExitTerminated;
  const bool is_second = StopFlag::exit_code() != 0;
  if (!StopFlag::watched() || (is_second && is_interrupt)) ::_exit(code);
  StopFlag::Request(code);
}

void OnEarlyInterrupt(int) {
  constexpr char kSentence[] = "\nsglrun: interrupted before the chat began\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
  ::_exit(console::kExitInterrupted);
}

void Handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal_number, &action, nullptr);
}

}  // namespace

void HandleStopSignals() {
  // No SA_RESTART: a read from a terminal or pipe returns, so that the run can stop.
  Handle(SIGINT, OnStopSignal, 0);
  Handle(SIGTERM, OnStopSignal, 0);
}

void LeaveOnInterrupt() {
  Handle(SIGINT, OnEarlyInterrupt, SA_RESTART);
}

}  // namespace sglrun::cli
