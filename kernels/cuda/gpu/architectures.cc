#include <algorithm>
#include <charconv>

#include "kernels/cuda/gpu/runtime.h"

namespace sglrun::gpu {
namespace {

// "90a-real" runs on 9.0 alone, "80-real" on 8.0 and later chips of its generation, and "120"
// brings PTX, which later generations compile for themselves.
bool OneRunsOn(std::string_view architecture, int capability) {
  int number = 0;
  const char* end = architecture.data() + architecture.size();
  const char* rest = std::from_chars(architecture.data(), end, number).ptr;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (suffix.starts_with("a")) return capability == number;
  if (suffix == "-real") return capability / 10 == number / 10 && capability >= number;
  return capability >= number;
}

}  // namespace

bool RunsOn(std::string_view architectures, int major, int minor) {
  for (std::size_t begin = 0; begin < architectures.size();) {
    const std::size_t end = std::min(architectures.find(' ', begin), architectures.size());
    const std::string_view one = architectures.substr(begin, end - begin);
    if (!one.empty() && OneRunsOn(one, 10 * major + minor)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace sglrun::gpu
