// The line on standard error that tells how far a run is. On a terminal it is one line written over
// and over; in a pipe (`--progress always`) a new line now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sglrun::console {

struct ProgressState {
  std::int64_t records = 0;  // finished
  std::int64_t failed = 0;
  std::int64_t output_tokens = 0;
  double fraction = -1.0;  // of the input, 0 to 1; negative when unknown
};

// "1,234 records, 2 failed, 512 tokens/s, 43 %, 1:05 left"
std::string ProgressText(const ProgressState& state, double elapsed_s, double tokens_per_s);

// "0:07", "1:02:03"
std::string FormatDuration(double seconds);

// kAuto: on a terminal.
enum class ProgressMode : std::uint8_t { kAuto, kAlways, kNever };

class Progress {
 public:
  explicit Progress(ProgressMode mode);
  ~Progress() { Clear(); }

  // Cheap when it is too early for the next line.
  void Update(const ProgressState& state);
  // Takes the line away before something else is printed.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_ = false;
  bool terminal_ = false;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  std::int64_t last_tokens_ = 0;
  double rate_ = 0.0;
};

}  // namespace sglrun::console
