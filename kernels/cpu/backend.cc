#include "kernels/backend.h"

namespace sglrun::kernels {

Result<const Backend*> CpuBackend(std::string_view) {
  static const Backend backend = {.name = "cpu",
                                  .isa = "portable",
                                  .table = RefBackend().table,
                                  .allocator = &tensor::HostAllocator()};
  return &backend;
}
std::vector<std::string_view> CpuIsas() {
  return {"portable"};
}

}  // namespace sglrun::kernels
