#include "report/svg_chart.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>

#include "report/html_text.h"

namespace sglrun::report {
namespace {

// Units of the drawing: a slice is one wide, the plot is so high.
constexpr double kHeight = 100;

std::string Coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

struct Plot {
  const Curve& curve;
  const Timeline& timeline;
  double top;    // the value at the upper edge
  double width;  // slices, the last one in part

  double Left(std::size_t i) const { return std::min(static_cast<double>(i), width); }
  double Y(std::size_t i) const { return kHeight * (1 - curve.values[i] / top); }
};

// Steps from left to right, one a slice.
std::string Outline(const Plot& plot) {
  std::string path;
  for (std::size_t i = 0; i < plot.curve.values.size(); ++i) {
    path += (i == 0 ? "M0 " : "V") + Coordinate(plot.Y(i)) + "H" + Coordinate(plot.Left(i + 1));
  }
  return path;
}

// What a pointer over a slice is told.
std::string Tips(const Plot& plot) {
  std::string out;
  for (std::size_t i = 0; i < plot.curve.values.size(); ++i) {
    const double width = plot.Left(i + 1) - plot.Left(i);
    if (width <= 0) continue;
    out += "<rect x=\"" + Coordinate(plot.Left(i)) + "\" width=\"" + Coordinate(width) +
           "\" height=\"100\"><title>" + TimeText(static_cast<double>(i) * plot.timeline.slice_s) +
           ": " + FigureText(plot.curve.values[i]) + "</title></rect>";
  }
  return out;
}

std::string Drawing(const Plot& plot) {
  const std::string outline = Outline(plot);
  const std::string width = Coordinate(plot.width);
  return "<svg viewBox=\"0 0 " + width + " 100\" preserveAspectRatio=\"none\" role=\"img\" " +
         "aria-label=\"" + Html(plot.curve.title) + " over time\">\n" +
         "<path class=\"grid\" d=\"M0 0H" + width + "M0 50H" + width + "M0 100H" + width +
         "\"/>\n<path class=\"area\" d=\"" + outline + "V100H0Z\"/>\n<path class=\"line\" d=\"" +
         outline + "\"/>\n<g class=\"tips\">" + Tips(plot) + "</g>\n</svg>\n";
}

std::string Labels(const char* axis, std::initializer_list<std::string> texts) {
  std::string out = "<div class=\"" + std::string(axis) + "\">";
  for (const std::string& text : texts) out += "<span>" + text + "</span>";
  return out + "</div>\n";
}

}  // namespace

std::string TimeFigure(const Curve& curve, const Timeline& timeline) {
  const Plot plot{curve, timeline, RoundAbove(curve.highest), timeline.end_s / timeline.slice_s};
  return "<figure>\n<figcaption><b>" + Html(curve.title) + "</b><span>mean " +
         FigureText(curve.mean) + ", highest " + FigureText(curve.highest) +
         "</span></figcaption>\n<div class=\"plot\">\n" +
         Labels("y", {FigureText(plot.top), FigureText(plot.top / 2), "0"}) + Drawing(plot) +
         Labels("x", {"0 s", TimeText(timeline.end_s / 2), TimeText(timeline.end_s)}) +
         "</div>\n</figure>\n";
}

std::string Bar(double share) {
  return "<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"" + Coordinate(100 * share) +
         "%\" height=\"100%\"/></svg>";
}

}  // namespace sglrun::report
