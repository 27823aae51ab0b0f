// `sglrun merge`: the outputs of shards, or the rows of numbered records, as one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/shard_output.h"

namespace sglrun::run {

struct MergeSettings {
  std::vector<std::string> inputs;
  std::string output;
  bool overwrite = false;
  bool check = false;  // only says how far the shards are
  bool json = false;   // of the check
  bool lines = false;  // the inputs are rows of numbered records, in any order
  MixedIsa mixed_isa = MixedIsa::kRefused;
  std::string records = {};  // with `lines`: how many there are, or the file of the records
};

// Gives the exit code, or why the outputs cannot be joined.
Result<int> RunMerge(const MergeSettings& settings);

}  // namespace sglrun::run
