#include "tensor/pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace sglrun::tensor {

void UseSmallPages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t before = address % kPage;
  ::madvise(reinterpret_cast<void*>(address - before), before + bytes, MADV_NOHUGEPAGE);
}

}  // namespace sglrun::tensor
