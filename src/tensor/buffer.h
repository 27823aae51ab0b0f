// Memory owned by one object, aligned for vector loads. The allocator belongs to the backend, so
// the same class serves host and device memory.
#pragma once

#include <cstddef>
#include <utility>

namespace sglrun::tensor {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // At least 64-byte aligned; nullptr if there is not enough memory.
  virtual void* Allocate(std::size_t bytes) = 0;
  virtual void Free(void* data, std::size_t bytes) = 0;
};

// Anonymous pages, huge ones if the system provides them. A page takes memory only when it is
// touched.
Allocator& HostAllocator();

class Buffer {
 public:
  Buffer() = default;
  // Check ok() afterwards: the allocation may fail.
  Buffer(Allocator& allocator, std::size_t bytes)
      : allocator_(&allocator), data_(allocator.Allocate(bytes)), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept { Swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) allocator_->Free(data_, bytes_);
  }

  bool ok() const { return data_ != nullptr; }
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void Swap(Buffer& other) {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  Allocator* allocator_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sglrun::tensor
