// Drawings of the page: shapes are inline SVG that stretches to any width, all words are HTML
// beside them, so that letters keep their size on a narrow screen.
#pragma once

#include <string>

#include "report/course.h"

namespace sglrun::report {

// A figure with one curve over the time of the run.
std::string TimeFigure(const Curve& curve, const Timeline& timeline);

// The bar of a table row: `share` of the full width, 0 to 1.
std::string Bar(double share);

}  // namespace sglrun::report
