// Which of several processes this one is, as the program that started it says: Slurm, Open MPI,
// Kubernetes and others state it in environment variables. The variables are read only if the user
// asks with `--shard auto`, because processes inside an allocation inherit them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "run/shard.h"

namespace sglrun::run {

// The value of an environment variable; nullptr if it is not set.
using Environment = std::function<const char*(const char*)>;

struct Launch {
  std::string launcher;  // "Slurm array"
  std::int64_t index = 0;
  std::optional<std::int64_t> number = {};  // of processes; job arrays do not know it
  std::string index_variable = {};
};

// The first launcher whose variables are set; nothing if there is none. Fails if a variable does
// not hold a number, and in the script of a Slurm job that has several tasks.
Result<std::optional<Launch>> FindLaunch(const Environment& environment);

// The shard of `--shard auto` (stated: nothing) or `--shard auto/N`.
Result<Shard> ShardOfLaunch(const std::optional<Launch>& launch,
                            std::optional<std::int64_t> stated);

}  // namespace sglrun::run
