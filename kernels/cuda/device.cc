#include "kernels/cuda/device.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace sglrun::kernels::cuda {
namespace {

constexpr std::size_t kFirstParcel = std::size_t{1} << 16;
// Large copies from and to ordinary memory go through a pinned buffer, piece by piece.
constexpr std::size_t kBounceBytes = std::size_t{4} << 20;

}  // namespace

DeviceState::DeviceState(std::unique_ptr<gpu::Runtime> runtime, const Ops& ops)
    : runtime_(std::move(runtime)),
      ops_(&ops),
      allocator_(*runtime_),
      stream_(runtime_->MakeStream()) {
  for (Parcel& parcel : parcels_) parcel.sent = runtime_->MakeEvent();
}

DeviceState::~DeviceState() {
  runtime_->Synchronize(stream_);
  scratch_ = {};
  for (const Parcel& parcel : parcels_) {
    runtime_->FreePinned(parcel.pinned);
    runtime_->Free(parcel.device);
    runtime_->DestroyEvent(parcel.sent);
  }
  runtime_->FreePinned(bounce_);
  runtime_->DestroyStream(stream_);
}

void* DeviceState::Scratch(std::size_t bytes) {
  if (scratch_.bytes() < bytes) {
    scratch_ = {};
    scratch_ = tensor::Buffer(allocator_, bytes + bytes / 4);
    CHECK(scratch_.ok()) << "no device memory for " << bytes << " bytes of scratch";
  }
  return scratch_.data();
}

void DeviceState::Grow(Parcel& parcel, std::size_t bytes) {
  if (parcel.bytes >= bytes) return;
  runtime_->Synchronize(stream_);
  runtime_->FreePinned(parcel.pinned);
  runtime_->Free(parcel.device);
  parcel.bytes = std::max(bytes + bytes / 2, kFirstParcel);
  parcel.pinned = runtime_->AllocPinned(parcel.bytes);
  parcel.device = runtime_->Alloc(parcel.bytes);
  CHECK(parcel.pinned != nullptr && parcel.device != nullptr)
      << "no memory for the " << parcel.bytes << " bytes of a step's arrays";
}

void DeviceState::Stage(std::span<StagedArray> arrays) {
  std::size_t bytes = 0;
  for (const StagedArray& array : arrays) bytes += ArrayBytes(array.bytes);
  if (bytes == 0) return;
  Parcel& parcel = parcels_[next_parcel_];
  next_parcel_ = (next_parcel_ + 1) % parcels_.size();
  runtime_->Synchronize(parcel.sent);
  Grow(parcel, bytes);
  std::size_t place = 0;
  for (StagedArray& array : arrays) {
    if (array.bytes == 0) continue;
    std::memcpy(static_cast<char*>(parcel.pinned) + place, array.data, array.bytes);
    array.data = static_cast<const char*>(parcel.device) + place;
    place += ArrayBytes(array.bytes);
  }
  runtime_->CopyToDevice(parcel.device, parcel.pinned, bytes, stream_);
  runtime_->Record(parcel.sent, stream_);
}

void DeviceState::Upload(void* to, const void* from, std::size_t bytes) {
  if (bounce_ == nullptr) bounce_ = runtime_->AllocPinned(kBounceBytes);
  CHECK(bounce_ != nullptr) << "no pinned memory";
  for (std::size_t done = 0; done < bytes; done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, bytes - done);
    std::memcpy(bounce_, static_cast<const char*>(from) + done, part);
    runtime_->CopyToDevice(static_cast<char*>(to) + done, bounce_, part, stream_);
    runtime_->Synchronize(stream_);
  }
}

void DeviceState::Download(void* to, const void* from, std::size_t bytes) {
  if (bounce_ == nullptr) bounce_ = runtime_->AllocPinned(kBounceBytes);
  CHECK(bounce_ != nullptr) << "no pinned memory";
  for (std::size_t done = 0; done < bytes; done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, bytes - done);
    runtime_->CopyToHost(bounce_, static_cast<const char*>(from) + done, part, stream_);
    runtime_->Synchronize(stream_);
    std::memcpy(static_cast<char*>(to) + done, bounce_, part);
  }
}

}  // namespace sglrun::kernels::cuda
