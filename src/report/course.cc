#include "report/course.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/strings.h"
#include "console/progress.h"

namespace sglrun::report {
namespace {

Curve MakeCurve(std::string_view title, const std::vector<double>& sums, const Timeline& timeline) {
  Curve curve{.title = title, .values = {}, .highest = 0, .mean = 0};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double seconds = timeline.Covered(i);
    curve.values.push_back(seconds > 0 ? sums[i] / seconds : 0.0);
    curve.highest = std::max(curve.highest, curve.values.back());
  }
  curve.mean = std::accumulate(sums.begin(), sums.end(), 0.0) / timeline.end_s;
  return curve;
}

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::vector<Curve> Curves(const Timeline& timeline) {
  if (!(timeline.end_s > 0) || !(timeline.slice_s > 0) || timeline.output_tokens.empty()) return {};
  return {MakeCurve("Output tokens per second", timeline.output_tokens, timeline),
          MakeCurve("Prompt tokens per second", timeline.prompt_tokens, timeline),
          MakeCurve("Sequences in a step", timeline.row_seconds, timeline)};
}

double RoundAbove(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (step * power >= value) return step * power;
  }
  return 10 * power;
}

std::string FigureText(double value) {
  if (value >= 100) return FormatCount(static_cast<std::int64_t>(value + 0.5));
  if (value == std::floor(value)) return Formatted("%.0f", value);
  return Formatted(value >= 10 ? "%.1f" : "%.2f", value);
}

std::string TimeText(double seconds) {
  return seconds < 60 ? FigureText(seconds) + " s" : console::FormatDuration(seconds);
}

std::string BinText(const LengthBin& bin) {
  const std::string from = FormatCount(bin.from);
  return bin.to <= bin.from ? from : from + "-" + FormatCount(bin.to);
}

std::string LengthsText(const Lengths& lengths) {
  if (lengths.count == 0) return "no results";
  const double mean = static_cast<double>(lengths.sum) / static_cast<double>(lengths.count);
  return FormatCount(lengths.count) + (lengths.count == 1 ? " result, " : " results, ") +
         BinText({lengths.min, lengths.max, 0}) + " tokens, mean " + FigureText(mean);
}

std::string ErrorTitle(const ErrorKind& kind) {
  std::string title = std::to_string(kind.code) + " " + kind.type;
  if (!kind.param.empty()) title += ", " + kind.param;
  return title;
}

}  // namespace sglrun::report
