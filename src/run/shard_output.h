// The outputs of shards, as their journals describe them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/journal.h"
#include "io/row_reader.h"
#include "run/shard.h"

namespace sglrun::run {

// As error messages name files.
std::string Quoted(const std::string& path);

struct ShardOutput {
  std::string path;
  io::JournalContents journal;
  Shard shard;  // "2/8" of its run
};

// Finished or not. Fails if the file is no output of `sglrun batch`.
Result<ShardOutput> ReadShardOutput(const std::string& path);

// Whether the shards of a run may have been computed on different instruction sets.
enum class MixedIsa : bool { kRefused, kAllowed };

// Whether all are of one run and one number of shards, and the finished ones of the same input.
Status CheckSameRun(const std::vector<ShardOutput>& shards, MixedIsa mixed);
// Fails if one is given twice.
Status CheckNoRepeats(const std::vector<ShardOutput>& shards);
// The indices of the shards that are not among them.
std::vector<std::int64_t> MissingShards(const std::vector<ShardOutput>& shards);

// Fails if a row of `path` names files that are missing, or that cannot be moved with it to `output`.
Status CheckSideFiles(const std::string& path, const std::string& row, const std::string& output);

io::RowLines LinesOfRows(const Json& run);

}  // namespace sglrun::run
