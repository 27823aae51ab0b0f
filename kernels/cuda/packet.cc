#include "kernels/cuda/packet.h"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/out_of_memory.h"

namespace sglrun::kernels::cuda {
namespace {

constexpr std::size_t kLeastPacket = std::size_t{1} << 12;

}  // namespace

void PinnedBuffer::Reserve(std::size_t bytes) {
  if (bytes_ >= bytes) return;
  runtime_->FreePinned(data_);
  bytes_ = bytes + bytes / 2;
  data_ = static_cast<char*>(runtime_->AllocPinned(bytes_));
  if (data_ == nullptr) ThrowOutOfPinnedMemory("results", bytes_);
}

Packet::~Packet() {
  Wait();
  runtime_->FreePinned(pinned_);
  runtime_->Free(device_);
  runtime_->DestroyEvent(moved_);
}

bool Packet::TryReserve(std::size_t bytes) {
  Wait();
  if (bytes_ >= bytes) return true;
  runtime_->FreePinned(pinned_);
  runtime_->Free(device_);
  pinned_ = static_cast<char*>(runtime_->AllocPinned(bytes));
  device_ = static_cast<char*>(runtime_->Alloc(bytes));
  bytes_ = pinned_ != nullptr && device_ != nullptr ? bytes : 0;
  return bytes_ > 0;
}

// Half as much again, so that it seldom grows, where there is room for that.
void Packet::Reserve(std::size_t bytes) {
  Wait();
  if (bytes_ >= bytes || TryReserve(std::max(bytes + bytes / 2, kLeastPacket)) ||
      TryReserve(bytes)) {
    return;
  }
  if (pinned_ == nullptr) ThrowOutOfPinnedMemory("the arrays of a step", bytes);
  ThrowOutOfMemory("the arrays of a step", bytes, *runtime_);
}

void Packet::Send(std::size_t begin, std::size_t end, gpu::Stream stream) {
  if (end > begin) {
    runtime_->CopyToDevice(device_ + begin, pinned_ + begin, end - begin, stream);
  }
  runtime_->Record(moved_, stream);
}

void Packet::Fetch(std::size_t begin, std::size_t end, gpu::Stream stream) {
  if (end > begin) runtime_->CopyToHost(pinned_ + begin, device_ + begin, end - begin, stream);
  runtime_->Record(moved_, stream);
}

void Packet::Stage(std::span<StagedArray> arrays, gpu::Stream stream) {
  std::size_t bytes = 0;
  for (const StagedArray& array : arrays) bytes += ArrayBytes(array.bytes);
  if (bytes == 0) return;
  Reserve(bytes);
  std::size_t place = 0;
  for (StagedArray& array : arrays) {
    if (array.bytes == 0) continue;
    std::memcpy(pinned_ + place, array.data, array.bytes);
    array.data = device_ + place;
    place += ArrayBytes(array.bytes);
  }
  Send(0, bytes, stream);
}

}  // namespace sglrun::kernels::cuda
