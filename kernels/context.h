// What every kernel call may use besides its arguments: the threads, the device, and scratch memory
// that is kept between calls so that the decode loop allocates nothing once it has seen its largest
// step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/thread_pool.h"
#include "tensor/buffer.h"

namespace sglrun::kernels {

// What a backend on a device keeps of it (kernels/cuda/device.h).
class Device {
 public:
  virtual ~Device() = default;
  virtual std::int64_t FreeMemory() = 0;  // in bytes
  // Allocates now what steps will need: scratch of their largest operation, and room for the arrays
  // of the largest step. False if the memory does not suffice.
  virtual bool Reserve(std::int64_t scratch, std::int64_t arrays) = 0;
};

class OperationClock;

class KernelContext {
 public:
  explicit KernelContext(ThreadPool& pool) : pool_(&pool) {}

  ThreadPool& pool() { return *pool_; }

  // The device of the backend that is used with this context; null where kernels run on the host.
  Device* device() const { return device_; }
  void set_device(Device* device) { device_ = device; }

  // The clock of the backend that is used with this context; null if it has none
  // (kernels/operation_clock.h).
  OperationClock* clock() const { return clock_; }
  void set_clock(OperationClock* clock) { clock_ = clock; }

  // At least `bytes` of scratch, 64-byte aligned, contents undefined, valid until the next call.
  // Throws std::bad_alloc.
  void* Scratch(std::size_t bytes) {
    if (scratch_.bytes() < bytes) {
      scratch_ = tensor::Buffer(tensor::HostAllocator(), bytes + bytes / 4);
      if (!scratch_.ok()) throw std::bad_alloc();
    }
    return scratch_.data();
  }

 private:
  ThreadPool* pool_;
  Device* device_ = nullptr;
  OperationClock* clock_ = nullptr;
  tensor::Buffer scratch_;
};

}  // namespace sglrun::kernels
