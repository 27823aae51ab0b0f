#include "support.h"

namespace sglrun::kernels::testing {

std::vector<const Backend*> ShelfBackends() {
  std::vector<const Backend*> backends;
  for (const std::string_view isa : CpuIsas()) backends.push_back(*CpuBackend(isa));
  return backends;
}

int ShelfCost() { return 0; }

}  // namespace sglrun::kernels::testing
