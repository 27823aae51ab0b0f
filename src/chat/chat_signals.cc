#include "chat/chat_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/check.h"
#include "base/stop_flag.h"
#include "console/exit_codes.h"

namespace sglrun::chat {
namespace {

constexpr int kExitHangup = 129;
constexpr int kExitQuit = 131;

// Signal handlers reach global state only.
std::atomic<bool> was_interrupted{false}, was_resized{false}, was_suspended{false};
std::atomic<int> chat_stop_code{0};
std::atomic<int> wake_pipe[2] = {-1, -1};

constexpr int kWatched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
struct sigaction former[std::size(kWatched)];
struct sigaction former_tstp;

void OnChatSignal(int number) {
  const int kept = errno;
  switch (number) {
    case SIGINT:
      was_interrupted = true;
      StopFlag::Request();
      break;
    case SIGWINCH:
      was_resized = true;
      break;
    case SIGTSTP:
      was_suspended = true;
      break;
    default:
      StopFlag::Request();
      chat_stop_code = number == SIGHUP    ? kExitHangup
                       : number == SIGQUIT ? kExitQuit
                                           : console::kExitTerminated;
  }
  // If the pipe is full, the waiting thread has been woken already.
  [[maybe_unused]] const auto written = ::write(wake_pipe[1], "", 1);
  errno = kept;
}

struct sigaction ActionOf(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  // Writes of an answer continue after a signal; reads are woken by the pipe.
  action.sa_flags = SA_RESTART;
  return action;
}

}  // namespace

ChatSignals::ChatSignals() {
  int ends[2];
  CHECK(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) << errno;
  wake_pipe[0] = ends[0];
  wake_pipe[1] = ends[1];
  const struct sigaction action = ActionOf(OnChatSignal);
  for (std::size_t i = 0; i < std::size(kWatched); ++i) {
    ::sigaction(kWatched[i], &action, &former[i]);
  }
  ::sigaction(SIGTSTP, nullptr, &former_tstp);
}

ChatSignals::~ChatSignals() {
  HoldStops(false);
  for (std::size_t i = 0; i < std::size(kWatched); ++i) {
    ::sigaction(kWatched[i], &former[i], nullptr);
  }
  ::close(wake_pipe[0].exchange(-1));
  ::close(wake_pipe[1].exchange(-1));
}

int ChatSignals::wake_fd() const {
  return wake_pipe[0];
}

bool ChatSignals::TakeWake() {
  bool taken = false;
  char bytes[64];
  while (::read(wake_pipe[0], bytes, sizeof bytes) > 0) taken = true;
  return taken;
}

bool ChatSignals::TakeInterrupt() {
  const bool taken = was_interrupted.exchange(false);
  if (chat_stop_code == 0) StopFlag::Clear();
  return taken;
}

bool ChatSignals::interrupted() const {
  return was_interrupted;
}

bool ChatSignals::TakeResize() {
  return was_resized.exchange(false);
}

bool ChatSignals::TakeSuspend() {
  return was_suspended.exchange(false);
}

void ChatSignals::HoldStops(bool hold) {
  const struct sigaction action = hold ? ActionOf(OnChatSignal) : former_tstp;
  // A shell without job control passes SIGTSTP on as ignored; it stays ignored.
  if (former_tstp.sa_handler != SIG_IGN) ::sigaction(SIGTSTP, &action, nullptr);
}

void ChatSignals::Suspend() {
  HoldStops(false);
  ::raise(SIGTSTP);
  HoldStops(true);
}

int ChatSignals::stop_code() const {
  return chat_stop_code;
}

}  // namespace sglrun::chat
