#include "console/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/strings.h"

namespace sglrun::console {
namespace {

int TerminalColumns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  char text[32];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(whole / 3600),
                  static_cast<long long>(whole / 60 % 60), static_cast<long long>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", static_cast<long long>(whole / 60),
                  static_cast<long long>(whole % 60));
  }
  return text;
}

std::string ProgressText(const ProgressState& state, double elapsed_s, double tokens_per_s) {
  std::string text = FormatCount(state.records) + " records";
  if (state.failed > 0) text += ", " + FormatCount(state.failed) + " failed";
  text += ", " + FormatCount(static_cast<std::int64_t>(tokens_per_s + 0.5)) + " tokens/s";
  if (state.fraction >= 0) {
    text += ", " + std::to_string(static_cast<int>(state.fraction * 100)) + " %";
    if (state.fraction > 0.005) {
      text += ", " + FormatDuration(elapsed_s * (1 - state.fraction) / state.fraction) + " left";
    }
  }
  return text;
}

Progress::Progress(ProgressMode mode) : terminal_(::isatty(STDERR_FILENO) == 1) {
  enabled_ = mode == ProgressMode::kAlways || (mode == ProgressMode::kAuto && terminal_);
}

void Progress::Update(const ProgressState& state) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const double passed = std::chrono::duration<double>(now - last_).count();
  if (passed < (terminal_ ? 0.25 : 2.0)) return;
  // The rate of the last seconds, not of the whole run: half of it new at each line.
  const double rate = static_cast<double>(state.output_tokens - last_tokens_) / passed;
  rate_ = rate_ == 0.0 ? rate : (rate_ + rate) / 2;
  last_ = now;
  last_tokens_ = state.output_tokens;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string text = ProgressText(state, elapsed, rate_);
  if (terminal_) {
    // A line that wraps could not be removed again.
    std::fprintf(stderr, "\r\033[K%.*s", TerminalColumns() - 1, text.c_str());
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
  shown_ = terminal_;
}

void Progress::Clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace sglrun::console
