// What every kernel call may use besides its arguments: the threads, and scratch memory that is
// kept between calls so that the decode loop allocates nothing once it has seen its largest step.
#pragma once

#include <cstddef>

#include "base/check.h"
#include "base/thread_pool.h"
#include "tensor/buffer.h"

namespace sglrun::kernels {

class KernelContext {
 public:
  explicit KernelContext(ThreadPool& pool) : pool_(&pool) {}

  ThreadPool& pool() { return *pool_; }

  // At least `bytes` of scratch, 64-byte aligned, contents undefined, valid until the next call.
  void* Scratch(std::size_t bytes) {
    if (scratch_.bytes() < bytes) {
      scratch_ = tensor::Buffer(tensor::HostAllocator(), bytes + bytes / 4);
      CHECK(scratch_.ok()) << "no memory for " << bytes << " bytes of scratch";
    }
    return scratch_.data();
  }

 private:
  ThreadPool* pool_;
  tensor::Buffer scratch_;
};

}  // namespace sglrun::kernels
