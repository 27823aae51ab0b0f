#include "model/available_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace sglrun::model {
namespace {

std::optional<std::int64_t> ParseNumber(const std::string& text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> SystemAvailable() {
  std::ifstream file("/proc/meminfo");
  std::string key, value;
  while (file >> key >> value) {
    if (key == "MemAvailable:") {
      const auto kibibytes = ParseNumber(value);
      return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
    }
    file.ignore(4096, '\n');
  }
  return std::nullopt;
}

// The limit itself, not what is left of it: the pages of mapped files count there and are
// reclaimable, so what is used says little.
std::optional<std::int64_t> GroupLimit() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::string value;
  if (!(file >> value)) return std::nullopt;
  return ParseNumber(value);  // "max" is no number: no limit
}

}  // namespace

std::optional<std::int64_t> AvailableMemory() {
  const auto system = SystemAvailable();
  const auto group = GroupLimit();
  if (system && group) return std::min(*system, *group);
  return system ? system : group;
}

std::optional<std::int64_t> AvailableMemory(const kernels::Backend& backend) {
  if (backend.device != nullptr) return backend.device->FreeMemory();
  return AvailableMemory();
}

}  // namespace sglrun::model
