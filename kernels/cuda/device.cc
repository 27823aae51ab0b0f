#include "kernels/cuda/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "kernels/cuda/out_of_memory.h"

namespace sglrun::kernels::cuda {
namespace {

// Large copies from and to ordinary memory go through a pinned buffer, piece by piece.
constexpr std::size_t kBounceBytes = std::size_t{4} << 20;

}  // namespace

DeviceState& StateOf(KernelContext& context) {
  CHECK(context.device() != nullptr) << "the context knows no device";
  return static_cast<DeviceState&>(*context.device());
}

DeviceState::DeviceState(std::unique_ptr<gpu::Runtime> runtime, const Ops& ops)
    : runtime_(std::move(runtime)),
      ops_(&ops),
      allocator_(*runtime_),
      stream_(runtime_->MakeStream()),
      copies_(runtime_->MakeStream()),
      computed_(runtime_->MakeEvent()),
      mail_(std::make_unique<Packet>(*runtime_)),
      taken_(std::make_unique<PinnedBuffer>(*runtime_)),
      recorder_(std::make_unique<Recorder>(*runtime_, stream_)) {
  for (auto& packet : staged_) packet = std::make_unique<Packet>(*runtime_);
}

DeviceState::~DeviceState() {
  runtime_->Synchronize(stream_);
  runtime_->Synchronize(copies_);
  scratch_ = {};
  recorder_.reset();
  library_.reset();
  mail_.reset();
  taken_.reset();
  for (auto& packet : staged_) packet.reset();
  runtime_->FreePinned(bounce_);
  runtime_->DestroyEvent(computed_);
  runtime_->DestroyStream(copies_);
  runtime_->DestroyStream(stream_);
}

void DeviceState::Keep(Parcel parcel) {
  CHECK(!kept_) << "a second draw before the end of the first";
  kept_ = std::move(parcel);
}

void DeviceState::FinishKept() {
  if (!kept_) return;
  kept_->Finish(*this);
  kept_.reset();
}

bool DeviceState::Reserve(std::int64_t scratch, std::int64_t arrays) {
  for (const auto& packet : staged_) {
    if (!packet->TryReserve(static_cast<std::size_t>(arrays))) return false;
  }
  return HasScratch(static_cast<std::size_t>(scratch));
}

bool DeviceState::HasScratch(std::size_t bytes) {
  if (scratch_.bytes() >= bytes) return true;
  scratch_ = {};
  scratch_ = tensor::Buffer(allocator_, bytes);
  return scratch_.ok();
}

void* DeviceState::Scratch(std::size_t bytes) {
  if (scratch_.bytes() < bytes && !HasScratch(bytes + bytes / 4)) {
    ThrowOutOfMemory("an operation's scratch", bytes, *runtime_);
  }
  return scratch_.data();
}

void DeviceState::Stage(std::span<StagedArray> arrays) {
  Packet& packet = *staged_[next_staged_];
  next_staged_ = (next_staged_ + 1) % staged_.size();
  packet.Stage(arrays, stream_);
}

void DeviceState::Repeat(const RepeatArgs& args) {
  recorder_->Run(args, allocator_.frees());
}

void DeviceState::TakeBounce() {
  if (bounce_ == nullptr) bounce_ = runtime_->AllocPinned(kBounceBytes);
  if (bounce_ == nullptr) ThrowOutOfPinnedMemory("copies", kBounceBytes);
}

void DeviceState::Upload(void* to, const void* from, std::size_t bytes) {
  TakeBounce();
  for (std::size_t done = 0; done < bytes; done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, bytes - done);
    std::memcpy(bounce_, static_cast<const char*>(from) + done, part);
    runtime_->CopyToDevice(static_cast<char*>(to) + done, bounce_, part, stream_);
    runtime_->Synchronize(stream_);
  }
}

void DeviceState::Download(void* to, const void* from, std::size_t bytes) {
  TakeBounce();
  for (std::size_t done = 0; done < bytes; done += kBounceBytes) {
    const std::size_t part = std::min(kBounceBytes, bytes - done);
    runtime_->CopyToHost(bounce_, static_cast<const char*>(from) + done, part, stream_);
    runtime_->Synchronize(stream_);
    std::memcpy(static_cast<char*>(to) + done, bounce_, part);
  }
}

}  // namespace sglrun::kernels::cuda
