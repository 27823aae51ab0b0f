// `sglrun merge --lines`: rows of numbered records, which any programs brought into any order and
// files, in the order of the records.
#pragma once

#include "base/result.h"
#include "run/merge.h"

namespace sglrun::run {

// The exit code is 1, and nothing is written, if rows are missing.
Result<int> MergeLines(const MergeSettings& settings);

}  // namespace sglrun::run
