// A device as the backend uses it: a stream for kernels and one for copies, the operations of its
// world, and the buffers through which arrays travel. Everything it hands out is reused: nothing is
// allocated in a step once the largest one was seen.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "kernels/context.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/library_products.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/packet.h"
#include "kernels/cuda/parcel.h"
#include "kernels/cuda/recorder.h"
#include "kernels/transfer.h"
#include "tensor/buffer.h"

namespace sglrun::kernels::cuda {

class DeviceAllocator final : public tensor::Allocator {
 public:
  explicit DeviceAllocator(gpu::Runtime& runtime) : runtime_(&runtime) {}
  void* Allocate(std::size_t bytes) override { return runtime_->Alloc(bytes); }
  void Free(void* data, std::size_t) override {
    ++frees_;
    runtime_->Free(data);
  }

  std::uint64_t frees() const { return frees_; }

 private:
  gpu::Runtime* runtime_;
  std::atomic<std::uint64_t> frees_ = 0;
};

class DeviceState final : public Device {
 public:
  DeviceState(std::unique_ptr<gpu::Runtime> runtime, const Ops& ops);
  ~DeviceState() override;

  std::int64_t FreeMemory() override { return static_cast<std::int64_t>(runtime_->FreeMemory()); }

  bool Reserve(std::int64_t scratch, std::int64_t arrays) override;

  gpu::Runtime& runtime() { return *runtime_; }
  const Ops& ops() const { return *ops_; }
  gpu::Stream stream() const { return stream_; }
  tensor::Allocator& allocator() { return allocator_; }
  Recorder& recorder() { return *recorder_; }
  const Recorder& recorder() const { return *recorder_; }

  // For products of many rows; null: all run on our own kernels.
  LibraryProducts* library() { return library_.get(); }
  void UseLibrary(std::unique_ptr<LibraryProducts> library) { library_ = std::move(library); }
  Recorder::Work& Recorded(std::span<const std::uint64_t> key) {
    return recorder_->Find(key, allocator_.frees());
  }

  // For parcels: the stream of their copies, the memory of their arrays, the memory of the results,
  // and the end of their kernels.
  gpu::Stream copies() const { return copies_; }
  Packet& mail() { return *mail_; }
  PinnedBuffer& taken() { return *taken_; }
  gpu::Event computed() const { return computed_; }

  // The draw whose results are on their way.
  bool keeps() const { return kept_.has_value(); }
  void Keep(Parcel parcel);
  void FinishKept();

  // Device memory for one operation, until the next call.
  void* Scratch(std::size_t bytes);

  // One packed copy of arrays to the device; each is replaced by its place there. They stay until
  // the second call from now. Empty arrays stay empty.
  void Stage(std::span<StagedArray> arrays);
  void Repeat(const RepeatArgs& args);

  // Any memory of the host; done when they return.
  void Upload(void* to, const void* from, std::size_t bytes);
  void Download(void* to, const void* from, std::size_t bytes);

  // Held by whoever uses the device from one of several threads (loading weights).
  std::mutex& mutex() { return mutex_; }

 private:
  bool HasScratch(std::size_t bytes);
  void TakeBounce();

  std::unique_ptr<gpu::Runtime> runtime_;
  const Ops* ops_;
  DeviceAllocator allocator_;
  gpu::Stream stream_, copies_;
  gpu::Event computed_;
  tensor::Buffer scratch_;
  std::array<std::unique_ptr<Packet>, 2> staged_;
  std::size_t next_staged_ = 0;
  std::unique_ptr<Packet> mail_;
  std::unique_ptr<PinnedBuffer> taken_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<LibraryProducts> library_;
  std::optional<Parcel> kept_;
  void* bounce_ = nullptr;  // pinned
  std::mutex mutex_;
};

// The device of a context.
DeviceState& StateOf(KernelContext& context);

}  // namespace sglrun::kernels::cuda
