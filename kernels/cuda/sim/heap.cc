#include "kernels/cuda/sim/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "base/check.h"
#include "kernels/cuda/sim/machine.h"

namespace sglrun::sim {
namespace {

// Addresses that are reserved; less where there are not so many (ThreadSanitizer leaves a program
// some 1.5 TiB), but not less than that.
constexpr std::size_t kReserved = std::size_t{1} << 42;
constexpr std::size_t kLeastReserved = std::size_t{1} << 36;
constexpr std::size_t kHeapPage = 4096;
constexpr std::size_t kAlignment = 256;
// Larger allocations start as zeros: filling them would cost memory that nobody uses.
constexpr std::size_t kLargestFilled = std::size_t{1} << 26;
constexpr unsigned char kUnwrittenByte = 0xff;
constexpr unsigned char kGuardByte = 0xa5;

struct Block {
  std::size_t bytes = 0;
  unsigned char* pages = nullptr;
  std::size_t page_bytes = 0;
};

class Heap {
 public:
  Heap() {
    void* range = MAP_FAILED;
    for (reserved_ = 2 * kReserved; range == MAP_FAILED;) {
      reserved_ /= 2;
      CHECK(reserved_ >= kLeastReserved) << "no address space for the simulated device's memory";
      range =
          mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    begin_ = end_ = static_cast<unsigned char*>(range);
  }

  void* Alloc(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > total_ - std::min(total_, used_)) return nullptr;
    const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t page_bytes = (padded + kHeapPage - 1) / kHeapPage * kHeapPage;
    unsigned char* pages = end_;
    CHECK(page_bytes + kHeapPage <= reserved_ - static_cast<std::size_t>(end_ - begin_))
        << "the simulated device ran out of addresses";
    if (mprotect(pages, page_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    end_ += page_bytes + kHeapPage;
    unsigned char* data = pages + page_bytes - padded;
    std::memset(pages, kGuardByte, page_bytes - padded);
    std::memset(data + bytes, kGuardByte, padded - bytes);
    if (bytes <= kLargestFilled) std::memset(data, kUnwrittenByte, bytes);
    blocks_[data] = {bytes, pages, page_bytes};
    used_ += bytes;
    return data;
  }

  void Free(void* data) {
    const std::lock_guard lock(mutex_);
    const auto place = blocks_.find(static_cast<unsigned char*>(data));
    if (place == blocks_.end()) Fail("free of %p, which is no live allocation", data);
    const Block& block = place->second;
    const auto is_guard = [](unsigned char byte) { return byte == kGuardByte; };
    const auto* begin = static_cast<unsigned char*>(data);
    if (!std::all_of(block.pages, static_cast<unsigned char*>(data), is_guard) ||
        !std::all_of(begin + block.bytes,
                     static_cast<const unsigned char*>(block.pages + block.page_bytes), is_guard)) {
      Fail("something wrote around the %zu bytes at %p", block.bytes, data);
    }
    if (Observer* observer = TheObserver()) observer->OnFree(data, block.bytes);
    madvise(block.pages, block.page_bytes, MADV_DONTNEED);
    mprotect(block.pages, block.page_bytes, PROT_NONE);
    used_ -= block.bytes;
    blocks_.erase(place);
  }

  bool Holds(const void* p, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto* address = static_cast<unsigned char*>(const_cast<void*>(p));
    auto place = blocks_.upper_bound(address);
    if (place == blocks_.begin()) return false;
    --place;
    return address + bytes <= place->first + place->second.bytes;
  }

  const unsigned char* begin() const { return begin_; }
  const unsigned char* end() const { return end_; }
  std::size_t reserved() const { return reserved_; }
  std::size_t total() {
    const std::lock_guard lock(mutex_);
    return total_;
  }
  std::size_t unused() {
    const std::lock_guard lock(mutex_);
    return total_ - std::min(total_, used_);
  }
  void set_total(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    total_ = bytes;
  }

 private:
  std::mutex mutex_;
  std::size_t reserved_ = 0;
  unsigned char* begin_ = nullptr;
  unsigned char* end_ = nullptr;
  std::size_t total_ = std::size_t{4} << 30;
  std::size_t used_ = 0;
  std::map<unsigned char*, Block> blocks_;
};

// The device outlives every static object that may still free its memory.
Heap& TheHeap() {
  static auto* heap = new Heap;
  return *heap;
}

}  // namespace

void* DeviceAlloc(std::size_t bytes) {
  return TheHeap().Alloc(bytes);
}
void DeviceFree(void* data) {
  if (data != nullptr) TheHeap().Free(data);
}
bool IsDeviceMemory(const void* p, std::size_t bytes) {
  return TheHeap().Holds(p, bytes);
}
bool IsDeviceAddress(const void* p) {
  const auto* address = static_cast<const unsigned char*>(p);
  return address >= TheHeap().begin() && address < TheHeap().begin() + TheHeap().reserved();
}
const unsigned char* HeapBegin() {
  return TheHeap().begin();
}
const unsigned char* HeapEnd() {
  return TheHeap().end();
}
std::size_t DeviceMemoryTotal() {
  return TheHeap().total();
}
std::size_t DeviceMemoryFree() {
  return TheHeap().unused();
}
void SetDeviceMemoryTotal(std::size_t bytes) {
  TheHeap().set_total(bytes);
}

}  // namespace sglrun::sim
