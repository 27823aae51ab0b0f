#include "cli/device_list.h"

#include <algorithm>
#include <charconv>

namespace sglrun::cli {
namespace {

int NumberIn(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

DeviceList ParseDevices(std::string_view device) {
  constexpr std::string_view kCudaPrefix = "cuda:", kSimPrefix = "sim:";
  if (device == "auto") return {DeviceKind::kAuto};
  if (device == "cpu") return {DeviceKind::kCpu};
  if (device == "cuda") return {DeviceKind::kCuda};
  if (device == "sim") return {DeviceKind::kSim};
  DeviceList list;
  list.indices.clear();
  if (device.starts_with(kCudaPrefix)) {
    list.kind = DeviceKind::kCuda;
    for (std::size_t at = kCudaPrefix.size(); at <= device.size();) {
      const std::size_t end = std::min(device.find(',', at), device.size());
      list.indices.push_back(NumberIn(device.substr(at, end - at)));
      at = end + 1;
    }
    return list;
  }
  list.kind = DeviceKind::kSim;
  const int count = NumberIn(device.substr(kSimPrefix.size()));
  for (int i = 0; i < count; ++i) list.indices.push_back(i);
  return list;
}

}  // namespace sglrun::cli
