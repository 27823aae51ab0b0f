// The number of pages that the key-value cache of `batch` would get on this machine, without
// loading the model.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "kernels/backend.h"
#include "model/files/model_files.h"
#include "serve/settings.h"

namespace sglrun::serve {

// A --kv-memory that `batch` would refuse is an error. Nothing if the size depends on the free
// memory and too little is free now; this may have changed when the run starts.
Result<std::optional<std::int64_t>> PlanCachePages(const ServeSettings& settings,
                                                   const model::ModelFiles& files,
                                                   const kernels::Backend& backend);

}  // namespace sglrun::serve
