#include "model/weights/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
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

// What a limit of the process (`ulimit -v`, `ulimit -d`) leaves of `used` pages.
std::optional<std::int64_t> LeftOf(const rlimit& limit, std::int64_t pages_used) {
  constexpr auto kMost = static_cast<rlim_t>(std::numeric_limits<std::int64_t>::max());
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > kMost) return std::nullopt;
  const std::int64_t used = pages_used * sysconf(_SC_PAGESIZE);
  return std::max(static_cast<std::int64_t>(limit.rlim_cur) - used, std::int64_t{0});
}

// Of address space and of data; used are the first and the sixth number, in pages.
std::array<std::optional<std::int64_t>, 2> ProcessLimits() {
  std::ifstream file("/proc/self/statm");
  std::array<std::int64_t, 6> pages = {};
  for (std::int64_t& number : pages) file >> number;
  rlimit space = {}, data = {};
  if (!file || getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0) return {};
  return {LeftOf(space, pages[0]), LeftOf(data, pages[5])};
}

}  // namespace

std::optional<std::int64_t> AvailableMemory() {
  const auto process = ProcessLimits();
  std::optional<std::int64_t> least;
  for (const auto& left : {SystemAvailable(), GroupLimit(), process[0], process[1]}) {
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

std::optional<std::int64_t> AvailableMemory(const kernels::Backend& backend) {
  if (backend.device != nullptr) return backend.device->FreeMemory();
  return AvailableMemory();
}

}  // namespace sglrun::model
