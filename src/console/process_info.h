// What the system tells about this process and machine, for summaries and benchmarks.
#pragma once

#include <cstdint>
#include <string>

namespace sglrun::console {

std::int64_t PeakResidentBytes();
// The processor's model name, "unknown" when the system does not tell.
std::string CpuName();
std::string HostName();

}  // namespace sglrun::console
