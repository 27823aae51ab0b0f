#include "chat/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/utf8.h"

namespace sglrun::chat {
namespace {

class PlainReader final : public LineReader {
 public:
  explicit PlainReader(Setup setup) : setup_(std::move(setup)) {}

  TypedLine Read(std::string_view prompt) override {
    std::fwrite(prompt.data(), 1, prompt.size(), setup_.talk);
    std::fflush(setup_.talk);
    while (true) {
      if (const std::size_t end = bytes_.find('\n'); end != std::string::npos) {
        std::string line = bytes_.substr(0, end);
        bytes_.erase(0, end + 1);
        if (IsValidUtf8(line)) return {TypedLine::End::kLine, std::move(line)};
        // The editing reader shows the input that it could not read; here it would not be visible.
        std::fprintf(setup_.talk,
                     "The line is not valid UTF-8 at byte %zu; it is ignored.\n"
                     "%.*s",
                     FindInvalidUtf8(line) + 1, static_cast<int>(prompt.size()), prompt.data());
        std::fflush(setup_.talk);
        continue;
      }
      if (WaitForKey(*setup_.signals) == KeyWait::kSignal) {
        if (setup_.signals->stop_code() != 0) return {TypedLine::End::kLeave, ""};
        if (!setup_.signals->TakeInterrupt()) continue;
        bytes_.clear();
        std::fputc('\n', setup_.talk);
        return {TypedLine::End::kInterrupt, ""};
      }
      char block[4096];
      const auto count = ::read(STDIN_FILENO, block, sizeof block);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) {
        std::fputc('\n', setup_.talk);
        return {TypedLine::End::kEndOfInput, ""};
      }
      bytes_.append(block, static_cast<std::size_t>(count));
    }
  }

  void Remember(const std::string&) override {}

 private:
  Setup setup_;
  std::string bytes_;
};

bool IsCapable(const char* terminal) {
  return terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
}

}  // namespace

KeyWait WaitForKey(ChatSignals& signals) {
  pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {signals.wake_fd(), POLLIN, 0}};
  while (::poll(watched, 2, -1) < 0) {
  }
  // The pipe, not `revents`: a signal that arrived during the wait is handled when poll returns, after
  // it has looked at the pipe, and the key that poll found may have been pressed after Ctrl+C.
  return signals.TakeWake() ? KeyWait::kSignal : KeyWait::kReady;
}

std::unique_ptr<LineReader> LineReader::Make(Setup setup) {
  const bool on_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(::fileno(setup.talk)) == 1;
  if (on_terminal && IsCapable(std::getenv("TERM"))) {
    if (auto editing = MakeEditingReader(setup)) return editing;
  }
  return std::make_unique<PlainReader>(std::move(setup));
}

}  // namespace sglrun::chat
