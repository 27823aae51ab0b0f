// Sums over time in a fixed number of slices: when the run outgrows them, neighbours are joined and
// every slice is twice as wide from then on.
#pragma once

#include "report/run_data.h"

namespace sglrun::report {

class TimelineRecorder {
 public:
  static constexpr std::size_t kSlices = 120;

  TimelineRecorder();

  // What happened since the last call, which ended at `until` seconds. A step that is longer than a
  // slice counts for each slice it touches by its share, so that no slice shows a burst.
  struct Amounts {
    double output_tokens = 0;
    double prompt_tokens = 0;
    double rows = 0;  // in the step
  };
  void Add(double until, const Amounts& amounts);

  const Timeline& timeline() const { return timeline_; }

 private:
  void JoinNeighbours();
  void AddToSlice(std::size_t slice, double seconds, double share, const Amounts& amounts);

  Timeline timeline_;
};

}  // namespace sglrun::report
