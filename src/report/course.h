// The course of a run as its three curves, in numbers that can be drawn: what the page and the
// terminal have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/run_data.h"

namespace sglrun::report {

struct Curve {
  std::string_view title;
  std::vector<double> values;  // one a slice
  double highest = 0;
  double mean = 0;  // over the whole time
};

// Output tokens per second, prompt tokens per second, sequences in a step; none for a run without
// time.
std::vector<Curve> Curves(const Timeline& timeline);

// The lowest of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, ... that is at least `value`: where an axis
// ends.
double RoundAbove(double value);

// 12345.6 -> "12,346", 3.25 -> "3.25": as many digits as are of use.
std::string FigureText(double value);
// "0.42 s", "42 s", "1:02:03".
std::string TimeText(double seconds);
// "64-95", "3"
std::string BinText(const LengthBin& bin);
// "12 results, 3 to 45 tokens, mean 17.2"
std::string LengthsText(const Lengths& lengths);
// "400 invalid_request_error, sampling_params.top_p"
std::string ErrorTitle(const ErrorKind& kind);

}  // namespace sglrun::report
