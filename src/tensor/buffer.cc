#include "tensor/buffer.h"

#include <sys/mman.h>

#include <cstdint>

namespace sglrun::tensor {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

class MmapAllocator final : public Allocator {
 public:
  void* Allocate(std::size_t bytes) override {
    const std::size_t size = RoundUp(bytes);
    if (size < kHugePage) return Map(size);
    // Starts at the boundary of a huge page, so that only the last pages are small.
    char* data = Map(size + kHugePage);
    if (data == nullptr) return nullptr;
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(data) % kHugePage;
    if (before > 0) ::munmap(data, before);
    ::munmap(data + before + size, kHugePage - before);
    ::madvise(data + before, size, MADV_HUGEPAGE);
    return data + before;
  }
  void Free(void* data, std::size_t bytes) override { ::munmap(data, RoundUp(bytes)); }

 private:
  static char* Map(std::size_t size) {
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? nullptr : static_cast<char*>(data);
  }
  static std::size_t RoundUp(std::size_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage + kPage;
  }
};

}  // namespace

Allocator& HostAllocator() {
  static MmapAllocator allocator;
  return allocator;
}

}  // namespace sglrun::tensor
