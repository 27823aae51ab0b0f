// What must be the same when a run continues, and when shards are joined: the model, the tokenizer
// and every option that shapes results, with effective values.
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "run/settings.h"
#include "serve/load.h"

namespace sglrun::run {

// An object of named values, fit for io::RunOutputOptions::run. `weights`: the fingerprint of
// source.files.
Result<Json> RunIdentity(const RunSettings& settings, const serve::ModelSource& source,
                         const kernels::Backend& backend, const Hash128& weights);

// The identity without its shard, which must be the same in all outputs of a run.
Json WithoutShard(const Json& identity);

// The identity without its instruction set.
Json WithoutIsa(const Json& identity);

// The members of a run identity that tell the instruction set and the shard.
inline constexpr const char* kIsaName = "isa";
inline constexpr const char* kShardName = "shard";

// The five parameters that --sampling-defaults is about.
Json SamplingDefaultsJson(const SamplingParams& defaults);

}  // namespace sglrun::run
