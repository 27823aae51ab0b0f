#include "kernels/cuda/parcel.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "kernels/cuda/device.h"

namespace sglrun::kernels::cuda {

void Parcel::AddRegion(void* data, std::size_t bytes, void** place, Way way) {
  const std::uint64_t bit = std::uint64_t{1} << named_++;
  if (bytes == 0) return;
  present_ |= bit;
  regions_.push_back({static_cast<char*>(data), bytes, place, way, ArrayBytes(bytes), 0});
}

std::size_t Parcel::EndOf(Way way) const {
  std::size_t end = 0;
  for (const Region& region : regions_) {
    if (region.way <= way) end += region.room;
  }
  return end;
}

// Lists grow a little from step to step: room is doubled, so that places seldom change.
void Parcel::MakeRoom(std::vector<std::size_t>* room) {
  if (room == nullptr) return;
  room->resize(regions_.size(), 0);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    std::size_t& most = (*room)[i];
    if (most < regions_[i].room) most = std::bit_ceil(regions_[i].room);
    regions_[i].room = most;
  }
}

std::vector<const void*> Parcel::Places() const {
  std::vector<const void*> places;
  for (const Region& region : regions_) places.push_back(*region.place);
  return places;
}

void Parcel::Start(DeviceState& device, std::vector<std::size_t>* room) {
  CHECK(!device.keeps()) << "a draw has not ended";
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const Region& a, const Region& b) { return a.way < b.way; });
  MakeRoom(room);
  Packet& mail = device.mail();
  mail.Reserve(EndOf(Way::kUse));
  std::size_t at = 0;
  for (Region& region : regions_) {
    region.at = at;
    at += region.room;
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
  TakeAll(device);
  device.mail().Fetch(EndOf(Way::kSend), EndOf(Way::kFetch), device.copies());
}

void Parcel::TakeAll(DeviceState& device) {
  std::size_t bytes = 0;
  for (Taken& taken : taken_) {
    taken.at = bytes;
    bytes += ArrayBytes(taken.bytes);
  }
  if (bytes == 0) return;
  device.taken().Reserve(bytes);
  for (const Taken& taken : taken_) {
    device.runtime().CopyToHost(device.taken().data() + taken.at, taken.device, taken.bytes,
                                device.copies());
  }
}

void Parcel::Finish(DeviceState& device) {
  Packet& mail = device.mail();
  mail.Wait();
  for (const Region& region : regions_) {
    if (region.way != Way::kExchange && region.way != Way::kFetch) continue;
    std::memcpy(region.host, mail.pinned() + region.at, region.bytes);
  }
  for (const Taken& taken : taken_) {
    std::memcpy(taken.host, device.taken().data() + taken.at, taken.bytes);
  }
}

}  // namespace sglrun::kernels::cuda
