// `sglrun merge --check`: how far the shards are, from their journals only.
#pragma once

#include "base/result.h"
#include "run/merge.h"

namespace sglrun::run {

// Prints the state of each output. The exit code is 0 if they can be merged, else 1.
Result<int> CheckMerge(const MergeSettings& settings);

}  // namespace sglrun::run
