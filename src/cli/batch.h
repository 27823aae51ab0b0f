// `sglrun batch`: a file of records in, a file of rows out, resumable.
#pragma once

#include "base/result.h"
#include "cli/run_settings.h"

namespace sglrun::cli {

// Gives the exit code, or why the run could not start or go on.
Result<int> RunBatch(const RunSettings& settings);

}  // namespace sglrun::cli
