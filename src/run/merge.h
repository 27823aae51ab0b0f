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
  bool check = false;  // only says how far the shards are
  bool json = false;   // of the check
};

// Gives the exit code, or why the outputs cannot be joined.
Result<int> RunMerge(const MergeSettings& settings);

}  // namespace sglrun::run
