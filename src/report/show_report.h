// `sglrun report`: the run file of a batch run as text, or as a page.
#pragma once

#include <string>

#include "base/result.h"

namespace sglrun::report {

struct ReportSettings {
  std::string run_file;
  std::string page;  // "": text on standard output
};

// Gives the exit code, or why there is nothing to be shown.
Result<int> RunReport(const ReportSettings& settings);

}  // namespace sglrun::report
