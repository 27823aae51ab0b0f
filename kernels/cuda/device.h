// A device as the backend uses it: one stream, the operations of its world, and the buffers through
// which arrays travel. Everything it hands out is reused: nothing is allocated in a step once the
// largest one was seen.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "kernels/context.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/ops.h"
#include "kernels/transfer.h"
#include "tensor/buffer.h"

namespace sglrun::kernels::cuda {

// Arrays that travel together begin at multiples of this: vector loads need 16.
inline constexpr std::size_t kArrayAlignment = 64;
constexpr std::size_t ArrayBytes(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

class DeviceAllocator final : public tensor::Allocator {
 public:
  explicit DeviceAllocator(gpu::Runtime& runtime) : runtime_(&runtime) {}
  void* Allocate(std::size_t bytes) override { return runtime_->Alloc(bytes); }
  void Free(void* data, std::size_t) override { runtime_->Free(data); }

 private:
  gpu::Runtime* runtime_;
};

class DeviceState final : public Device {
 public:
  DeviceState(std::unique_ptr<gpu::Runtime> runtime, const Ops& ops);
  ~DeviceState() override;

  std::int64_t FreeMemory() override { return static_cast<std::int64_t>(runtime_->FreeMemory()); }

  gpu::Runtime& runtime() { return *runtime_; }
  const Ops& ops() const { return *ops_; }
  gpu::Stream stream() const { return stream_; }
  tensor::Allocator& allocator() { return allocator_; }

  // Device memory for one operation, until the next call.
  void* Scratch(std::size_t bytes);

  // One packed copy of arrays to the device; each is replaced by its place there. They stay until
  // the second call from now. Empty arrays stay empty.
  void Stage(std::span<StagedArray> arrays);

  // Any memory of the host; done when they return.
  void Upload(void* to, const void* from, std::size_t bytes);
  void Download(void* to, const void* from, std::size_t bytes);

  // Held by whoever uses the device from one of several threads (loading weights).
  std::mutex& mutex() { return mutex_; }

 private:
  // Pinned and device memory of one packed copy, and when the pinned part may be written again.
  struct Parcel {
    void* pinned = nullptr;
    void* device = nullptr;
    std::size_t bytes = 0;
    gpu::Event sent = nullptr;
  };
  void Grow(Parcel& parcel, std::size_t bytes);

  std::unique_ptr<gpu::Runtime> runtime_;
  const Ops* ops_;
  DeviceAllocator allocator_;
  gpu::Stream stream_;
  tensor::Buffer scratch_;
  std::array<Parcel, 2> parcels_;
  std::size_t next_parcel_ = 0;
  void* bounce_ = nullptr;  // pinned
  std::mutex mutex_;
};

}  // namespace sglrun::kernels::cuda
