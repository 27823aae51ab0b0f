#include "console/process_info.h"

#include <unistd.h>

#include <fstream>

namespace sglrun::console {

// Not ru_maxrss of getrusage: that is inherited, so it may be the peak of a larger program that
// started this one.
std::int64_t PeakResidentBytes() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::int64_t kib = 0;
    if (name == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

std::string CpuName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace sglrun::console
