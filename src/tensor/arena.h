// Many buffers in one allocation, freed together. On the host the allocation uses huge pages even
// if most buffers are smaller than one.
#pragma once

#include <cstddef>

#include "tensor/buffer.h"

namespace sglrun::tensor {

class Arena final : public Allocator {
 public:
  // The bytes of an arena that a buffer of this size takes.
  static constexpr std::size_t Taken(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  // Check ok() afterwards. The arena outlives its buffers.
  Arena(Allocator& from, std::size_t bytes) : memory_(from, bytes) {}

  bool ok() const { return memory_.ok(); }
  // nullptr when too little is left.
  void* Allocate(std::size_t bytes) override {
    if (!ok() || Taken(bytes) > memory_.bytes() - used_) return nullptr;
    void* data = memory_.as<char>() + used_;
    used_ += Taken(bytes);
    return data;
  }
  void Free(void*, std::size_t) override {}

 private:
  Buffer memory_;
  std::size_t used_ = 0;
};

}  // namespace sglrun::tensor
