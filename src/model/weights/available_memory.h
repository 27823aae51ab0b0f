// How much memory this process may still take, for refusing a load before it begins.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/backend.h"

namespace sglrun::model {

// What the system calls available (free and reclaimable), bounded by the limit of the control
// group and by what the limits of the process (`ulimit -v`, `-d`) leave. Nothing when the system
// does not tell.
std::optional<std::int64_t> AvailableMemory();
// Of the backend's device, or of the machine.
std::optional<std::int64_t> AvailableMemory(const kernels::Backend& backend);

}  // namespace sglrun::model
