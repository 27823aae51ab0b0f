// Signals while a chat runs: Ctrl+C asks an answer or a line to stop, SIGTERM, SIGHUP and
// SIGQUIT ask the program to leave, SIGWINCH and SIGTSTP are left to the line editor. Code that waits
// for a key also waits for wake_fd, which a signal makes readable.
#pragma once

namespace sglrun::cli {

// One at a time; the former handlers come back when it goes.
class ChatSignals {
 public:
  ChatSignals();
  ChatSignals(const ChatSignals&) = delete;
  ChatSignals& operator=(const ChatSignals&) = delete;
  ~ChatSignals();

  // Readable when a signal has come since TakeWake.
  int wake_fd() const;
  void TakeWake();

  // Whether Ctrl+C was pressed since it was asked last.
  bool TakeInterrupt();
  bool interrupted() const;
  // Whether the window changed since it was asked last.
  bool TakeResize();
  // Whether Ctrl+Z was pressed since it was asked last; it stops the program at once unless
  // HoldStops says that the terminal must be set right before.
  bool TakeSuspend();
  void HoldStops(bool hold);
  // Stops as Ctrl+Z does, and returns when the program goes on.
  void Suspend();

  // 0, or the exit code that a signal asks for (143, 129, 131).
  int stop_code() const;
};

// Until a chat answers Ctrl+C by itself it leaves at once with a sentence: while the model loads
// there is no answer to stop.
void LeaveOnInterrupt();

}  // namespace sglrun::cli
