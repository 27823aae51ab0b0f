// Signals while a chat runs: Ctrl+C asks an answer or a line to stop, SIGTERM, SIGHUP and SIGQUIT
// ask the program to leave, SIGWINCH and SIGTSTP are left to the line editor. Code that waits for a
// key also waits for wake_fd, which a signal makes readable.
#pragma once

namespace sglrun::chat {

// Only one object at a time; its destructor restores the previous handlers.
class ChatSignals {
 public:
  ChatSignals();
  ChatSignals(const ChatSignals&) = delete;
  ChatSignals& operator=(const ChatSignals&) = delete;
  ~ChatSignals();

  // Readable if a signal has arrived since TakeWake.
  int wake_fd() const;
  // Whether a signal has arrived since the last call.
  bool TakeWake();

  // Whether Ctrl+C was pressed since the last call.
  bool TakeInterrupt();
  bool interrupted() const;
  // Whether the window size changed since the last call.
  bool TakeResize();
  // Whether Ctrl+Z was pressed since the last call. It stops the program immediately, unless
  // HoldStops requires that the terminal is restored first.
  bool TakeSuspend();
  void HoldStops(bool hold);
  // Stops as Ctrl+Z does, and returns when the program continues.
  void Suspend();

  // 0, or the exit code of a signal (143, 129, 131).
  int stop_code() const;
};

}  // namespace sglrun::chat
