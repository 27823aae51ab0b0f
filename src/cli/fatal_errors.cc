#include "cli/fatal_errors.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/log.h"
#include "base/shortage.h"
#include "cli/shortage_advice.h"
#include "console/exit_codes.h"

namespace sglrun::cli {
namespace {

// Global, because signal handlers have no other state. If several threads fail, only one prints a
// message.
std::atomic_flag is_leaving = ATOMIC_FLAG_INIT;

void BeTheOnlyOne() {
  while (is_leaving.test_and_set()) ::pause();
}

// Allocates nothing and locks nothing else.
[[noreturn]] void Leave(std::string_view sentence) {
  BeTheOnlyOne();
  while (!sentence.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, sentence.data(), sentence.size());
    if (count <= 0) break;
    sentence.remove_prefix(static_cast<std::size_t>(count));
  }
  ::_exit(console::kExitFailure);
}

// Exceptions of the standard library that report a limit of the machine. Any other exception is a
// bug and ends the program with its own message.
[[noreturn]] void OnTerminate() {
  const std::exception_ptr current = std::current_exception();
  try {
    if (current != nullptr) std::rethrow_exception(current);
  } catch (const OutOfMemory& problem) {
    BeTheOnlyOne();
    LogError(problem.what() + std::string(AdviceFor(problem.shortage())));
    ::_exit(console::kExitFailure);
  } catch (const std::bad_alloc&) {
    Leave("sglrun: error: out of memory: the system or a limit (ulimit -v) allows no more\n");
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::resource_unavailable_try_again) {
      Leave(
          "sglrun: error: no more threads can be created: a limit of processes (ulimit -u) or of "
          "memory (ulimit -v) is reached\n");
    }
  } catch (...) {
  }
  std::abort();
}

void OnBusError(int, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR) {
    Leave(
        "sglrun: error: a file of the model became shorter while it was read, or could not be "
        "read from its disk\n");
  }
  ::signal(SIGBUS, SIG_DFL);  // a bug: raised again, with the default action
}

// An exception that leaves a thread is unwound through the C library, which loads the unwinder at
// first use. Without memory this would fail and abort, so it is loaded here.
void FindUnwinder() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace

void ReportFatalErrors() {
  FindUnwinder();
  std::set_terminate(OnTerminate);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace sglrun::cli
