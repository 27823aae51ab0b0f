#include "serve/device_list.h"

#include <algorithm>
#include <charconv>

namespace sglrun::serve {
namespace {

int NumberIn(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

DeviceList ParseDevices(std::string_view device) {
  constexpr std::string_view kCudaPrefix = "cuda:", kSimPrefix = "sim:";
  DeviceList list{.text = std::string(device)};
  if (device == "auto") return list;
  list.kind = device == "cpu"              ? DeviceKind::kCpu
              : device.starts_with("cuda") ? DeviceKind::kCuda
                                           : DeviceKind::kSim;
  if (device.find(':') == device.npos) return list;
  list.indices.clear();
  if (device.starts_with(kCudaPrefix)) {
    for (std::size_t at = kCudaPrefix.size(); at <= device.size();) {
      const std::size_t end = std::min(device.find(',', at), device.size());
      list.indices.push_back(NumberIn(device.substr(at, end - at)));
      at = end + 1;
    }
    return list;
  }
  const int count = NumberIn(device.substr(kSimPrefix.size()));
  for (int i = 0; i < count; ++i) list.indices.push_back(i);
  return list;
}

}  // namespace sglrun::serve
