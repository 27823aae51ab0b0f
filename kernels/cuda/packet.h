// Pinned memory and device memory of the same size, between which arrays travel packed: all in one
// copy. Grows and never shrinks.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/cuda/gpu/runtime.h"
#include "kernels/transfer.h"

namespace sglrun::kernels::cuda {

// Arrays that travel together begin at multiples of this: vector loads need 16.
inline constexpr std::size_t kArrayAlignment = 64;
constexpr std::size_t ArrayBytes(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// Pinned memory alone, for what the host takes from where kernels have left it. Grows and never
// shrinks.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(gpu::Runtime& runtime) : runtime_(&runtime) {}
  ~PinnedBuffer() { runtime_->FreePinned(data_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  // No copy may be on its way here.
  void Reserve(std::size_t bytes);
  char* data() const { return data_; }

 private:
  gpu::Runtime* runtime_;
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class Packet {
 public:
  explicit Packet(gpu::Runtime& runtime) : runtime_(&runtime), moved_(runtime.MakeEvent()) {}
  ~Packet();
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  // Waits until the last copy is done, then makes room for `bytes`. If there is none, Reserve
  // throws (out_of_memory.h) and TryReserve returns false.
  void Reserve(std::size_t bytes);
  bool TryReserve(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

  char* pinned() const { return pinned_; }
  char* device() const { return device_; }

  // The bytes [begin, end) to the other side. The pinned ones are left alone until Wait.
  void Send(std::size_t begin, std::size_t end, gpu::Stream stream);
  void Fetch(std::size_t begin, std::size_t end, gpu::Stream stream);
  void Wait() { runtime_->Synchronize(moved_); }
  gpu::Event moved() const { return moved_; }  // recorded after the last copy

  // Reserve, pack and Send: each array is replaced by its place on the device. Empty ones stay.
  void Stage(std::span<StagedArray> arrays, gpu::Stream stream);

 private:
  gpu::Runtime* runtime_;
  gpu::Event moved_;
  char* pinned_ = nullptr;
  char* device_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sglrun::kernels::cuda
