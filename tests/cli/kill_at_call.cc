// kill_at_call N COMMAND...: runs the command and kills it, with all of its threads, as it enters the
// N-th call that changes files. Exits with 137 then, with the command's own code when it made fewer
// calls, and with 77 where programs may not be traced.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSkipped = 77;
constexpr int kKilled = 137;

bool ChangesFiles(const __ptrace_syscall_info& info) {
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  switch (info.entry.nr) {
    case SYS_write:
      return info.entry.args[0] > STDERR_FILENO;
    case SYS_openat:
      return (info.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_link:
    case SYS_linkat:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_ftruncate:
    case SYS_fchmod:
    case SYS_fdatasync:
    case SYS_sendfile:
    case SYS_copy_file_range:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void BeTraced(char** command) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kSkipped);
  raise(SIGSTOP);
  execvp(command[0], command);
  _exit(127);
}

// Follows all threads until the N-th call or the end; gives the exit code.
int Follow(pid_t child, long calls) {
  while (true) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return kSkipped;
    if (thread == child && WIFEXITED(status)) return WEXITSTATUS(status);
    if (thread == child && WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (!WIFSTOPPED(status)) continue;
    long signal_number = 0;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info info = {};
      ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
      if (ChangesFiles(info) && --calls == 0) {
        kill(child, SIGKILL);
        // The end of its threads has to be heard of before its own.
        for (pid_t ended = 0; ended >= 0 && (ended != child || WIFSTOPPED(status));) {
          ended = waitpid(-1, &status, __WALL);
        }
        return kKilled;
      }
    } else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
      signal_number = WSTOPSIG(status);
    }
    ptrace(PTRACE_SYSCALL, thread, nullptr, signal_number);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child == 0) BeTraced(argv + 2);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return kSkipped;
  constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, kOptions) != 0) return kSkipped;
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  return Follow(child, std::atol(argv[1]));
}
