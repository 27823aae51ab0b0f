#include "kernels/cuda/parcel.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernels/cuda/device.h"

namespace sglrun::kernels::cuda {

void Parcel::AddRegion(void* data, std::size_t bytes, void** place, Way way) {
  if (bytes > 0) regions_.push_back({static_cast<char*>(data), bytes, place, way, 0});
}

std::size_t Parcel::EndOf(Way way) const {
  std::size_t end = 0;
  for (const Region& region : regions_) {
    if (region.way <= way) end += ArrayBytes(region.bytes);
  }
  return end;
}

void Parcel::Start(DeviceState& device) {
  CHECK(!device.keeps()) << "a draw has not ended";
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const Region& a, const Region& b) { return a.way < b.way; });
  Packet& mail = device.mail();
  mail.Reserve(EndOf(Way::kUse));
  std::size_t at = 0;
  for (Region& region : regions_) {
    region.at = at;
    at += ArrayBytes(region.bytes);
    *region.place = mail.device() + region.at;
    if (region.way <= Way::kExchange) {
      std::memcpy(mail.pinned() + region.at, region.host, region.bytes);
    }
  }
  mail.Send(0, EndOf(Way::kExchange), device.copies());
  device.runtime().Wait(device.stream(), mail.moved());
}

void Parcel::Return(DeviceState& device) {
  gpu::Runtime& runtime = device.runtime();
  runtime.Record(device.computed(), device.stream());
  runtime.Wait(device.copies(), device.computed());
  device.mail().Fetch(EndOf(Way::kSend), EndOf(Way::kFetch), device.copies());
}

void Parcel::Finish(DeviceState& device) {
  Packet& mail = device.mail();
  mail.Wait();
  for (const Region& region : regions_) {
    if (region.way != Way::kExchange && region.way != Way::kFetch) continue;
    std::memcpy(region.host, mail.pinned() + region.at, region.bytes);
  }
}

}  // namespace sglrun::kernels::cuda
