// How much memory this process may still take, for refusing a load before it begins.
#pragma once

#include <cstdint>
#include <optional>

namespace sglrun::model {

// What the system calls available (free and reclaimable), bounded by the limit of the control
// group. Nothing when the system does not tell.
std::optional<std::int64_t> AvailableMemory();

}  // namespace sglrun::model
