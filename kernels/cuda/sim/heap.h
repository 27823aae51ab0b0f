// The simulated device's memory: part of the host's, so that tests may look at it, but kept so that
// mistakes show. New memory is NaN, a page nobody may touch lies behind every allocation, the odd
// bytes around it hold a pattern that is checked when it is freed, and freed addresses are never
// used again.
#pragma once

#include <cstddef>

namespace sglrun::sim {

// 256-byte aligned; nullptr when the device's memory does not suffice.
void* DeviceAlloc(std::size_t bytes);
void DeviceFree(void* data);

// Whether [p, p + bytes) lies inside one live allocation.
bool IsDeviceMemory(const void* p, std::size_t bytes);
// Whether p lies in the address range that allocations come from.
bool IsDeviceAddress(const void* p);
// Where that range begins.
const unsigned char* HeapBegin();
// One past the highest address handed out so far.
const unsigned char* HeapEnd();

std::size_t DeviceMemoryTotal();
std::size_t DeviceMemoryFree();
// How much the device has; what is allocated stays.
void SetDeviceMemoryTotal(std::size_t bytes);

}  // namespace sglrun::sim
