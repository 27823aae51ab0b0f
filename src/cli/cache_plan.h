// How many pages the key-value cache of `batch` would get here, without loading the model.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "kernels/backend.h"
#include "model/files/model_files.h"

namespace sglrun::cli {

// A --kv-memory that `batch` would refuse is an error. Nothing where the size is chosen by what is
// free and that does not suffice now: it may when the run comes.
Result<std::optional<std::int64_t>> PlanCachePages(const Options& options,
                                                   const model::ModelFiles& files,
                                                   const kernels::Backend& backend);

}  // namespace sglrun::cli
