#include "kernels/cuda/parcel.h"

namespace sglrun::kernels::cuda {

void Parcel::Start(DeviceState& device) {
  // What is exchanged goes out last.
  for (const Region& region : regions_) {
    if (region.way == Way::kExchange) sent_.push_back({region.host, region.bytes});
  }
  device.Stage(sent_);
  for (std::size_t i = 0; i < sent_places_.size(); ++i) {
    if (sent_[i].bytes > 0) *sent_places_[i] = sent_[i].data;
  }
  std::size_t exchanged = sent_places_.size();
  std::size_t bytes = 0;
  for (const Region& region : regions_) {
    if (region.way != Way::kExchange) bytes += ArrayBytes(region.bytes);
  }
  auto* scratch = bytes > 0 ? static_cast<char*>(device.Scratch(bytes)) : nullptr;
  for (const Region& region : regions_) {
    if (region.way == Way::kExchange) {
      *region.place = const_cast<void*>(sent_[exchanged++].data);
    } else {
      *region.place = scratch;
      scratch += ArrayBytes(region.bytes);
    }
  }
}

void Parcel::Finish(DeviceState& device) {
  for (const Region& region : regions_) {
    if (region.way != Way::kUse) device.Download(region.host, *region.place, region.bytes);
  }
}

}  // namespace sglrun::kernels::cuda
