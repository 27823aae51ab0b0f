#include "tensor/buffer.h"

#include <sys/mman.h>

namespace sglrun::tensor {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

class MmapAllocator final : public Allocator {
 public:
  void* Allocate(std::size_t bytes) override {
    const std::size_t size = RoundUp(bytes);
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    if (size >= kHugePage) ::madvise(data, size, MADV_HUGEPAGE);
    return data;
  }
  void Free(void* data, std::size_t bytes) override { ::munmap(data, RoundUp(bytes)); }

 private:
  static std::size_t RoundUp(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096 + 4096; }
};

}  // namespace

Allocator& HostAllocator() {
  static MmapAllocator allocator;
  return allocator;
}

}  // namespace sglrun::tensor
