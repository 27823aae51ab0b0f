// `sglrun merge`: the outputs of shards as one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sglrun::run {

struct MergeSettings {
  std::vector<std::string> inputs;
  std::string output;
  bool overwrite = false;
};

// Gives the exit code, or why the outputs cannot be joined.
Result<int> RunMerge(const MergeSettings& settings);

}  // namespace sglrun::run
