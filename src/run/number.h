// `sglrun number`: numbers records, so that any part of the input gives the rows of the whole.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "io/dialect/line_format.h"

namespace sglrun::run {

struct NumberSettings {
  std::vector<std::string> inputs;
  io::LineFormat format = io::LineFormat::kAuto;
  std::string output;  // a file or "-"
};

// Gives the exit code.
Result<int> RunNumber(const NumberSettings& settings);

}  // namespace sglrun::run
