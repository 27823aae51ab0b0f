// `sglrun batch`: a file of records in, a file of rows out, resumable.
#pragma once

#include "base/result.h"
#include "run/settings.h"

namespace sglrun::run {

// Gives the exit code, or why the run could not start or go on.
Result<int> RunBatch(const RunSettings& settings);

}  // namespace sglrun::run
