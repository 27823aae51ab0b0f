// `sglrun batch --shard any/N`: takes one shard after the other, whichever is neither finished nor
// held by another process, until all N are finished. A process holds a shard by the lock on the
// journal of its output, which the system releases when the process ends, however it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "run/settings.h"
#include "run/shard.h"

namespace sglrun::run {

struct AnyShardSettings {
  RunSettings common;  // the names of its files still hold {shard}
  std::int64_t shards = 1;
  // Where to begin, so that processes do not compete for the same shards; nothing: anywhere.
  std::optional<std::int64_t> first;
  // The settings of one shard, after a check of the files that it writes.
  std::function<Result<RunSettings>(const Shard&)> settings_of;
};

// The exit code is that of one run over all records.
Result<int> RunAnyShard(const AnyShardSettings& settings);

}  // namespace sglrun::run
