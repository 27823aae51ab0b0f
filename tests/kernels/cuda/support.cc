#include "tests/kernels/cuda/support.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sglrun::kernels::testing {

std::string WordsOfDeath(const std::function<void()>& run) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], STDERR_FILENO);
    run();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char part[1024];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) {
    words.append(part, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (words.empty() && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) return "a signal";
  return words;
}

}  // namespace sglrun::kernels::testing
