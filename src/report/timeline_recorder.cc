#include "report/timeline_recorder.h"

#include <algorithm>

namespace sglrun::report {
namespace {

// A run of a second has a hundred slices, one of a day some of a quarter of an hour.
constexpr double kFirstSlice = 0.01;

void HalveByJoining(std::vector<double>& values) {
  const std::size_t half = (values.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    values[i] = values[2 * i] + (2 * i + 1 < values.size() ? values[2 * i + 1] : 0.0);
  }
  values.resize(half);
}

}  // namespace

TimelineRecorder::TimelineRecorder() {
  timeline_.slice_s = kFirstSlice;
}

void TimelineRecorder::Add(double until, const Amounts& amounts) {
  const double begin = timeline_.end_s;
  const double duration = until - begin;
  if (!(duration > 0)) return;
  while (until > static_cast<double>(kSlices) * timeline_.slice_s) JoinNeighbours();
  timeline_.end_s = until;
  const double width = timeline_.slice_s;
  const auto last = std::min(static_cast<std::size_t>(until / width), kSlices - 1);
  for (auto slice = static_cast<std::size_t>(begin / width); slice <= last; ++slice) {
    const double from = std::max(begin, static_cast<double>(slice) * width);
    const double to = std::min(until, static_cast<double>(slice + 1) * width);
    if (to > from) AddToSlice(slice, to - from, (to - from) / duration, amounts);
  }
}

void TimelineRecorder::AddToSlice(std::size_t slice, double seconds, double share,
                                  const Amounts& amounts) {
  for (std::vector<double>* values :
       {&timeline_.output_tokens, &timeline_.prompt_tokens, &timeline_.row_seconds}) {
    if (values->size() <= slice) values->resize(slice + 1);
  }
  timeline_.output_tokens[slice] += share * amounts.output_tokens;
  timeline_.prompt_tokens[slice] += share * amounts.prompt_tokens;
  timeline_.row_seconds[slice] += seconds * amounts.rows;
}

void TimelineRecorder::JoinNeighbours() {
  HalveByJoining(timeline_.output_tokens);
  HalveByJoining(timeline_.prompt_tokens);
  HalveByJoining(timeline_.row_seconds);
  timeline_.slice_s *= 2;
}

}  // namespace sglrun::report
