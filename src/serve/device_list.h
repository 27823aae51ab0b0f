// What --device names: one device, or several of a kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sglrun::serve {

enum class DeviceKind : std::uint8_t { kAuto, kCpu, kCuda, kSim };

struct DeviceList {
  DeviceKind kind = DeviceKind::kAuto;
  std::vector<int> indices = {0};  // several of kCuda and kSim only
  std::string text = "auto";       // as typed, for sentences
};

// Of a value that the option allows.
DeviceList ParseDevices(std::string_view device);

}  // namespace sglrun::serve
