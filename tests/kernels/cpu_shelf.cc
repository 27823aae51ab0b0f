#include "emulated_amx.h"
#include "support.h"

namespace sglrun::kernels::testing {

std::vector<const Backend*> ShelfBackends() {
  std::vector<const Backend*> backends;
  for (const std::string_view isa : CpuIsas()) backends.push_back(*CpuBackend(isa));
  return backends;
}

std::vector<const Backend*> ProductBackends(tensor::DType weights) {
  std::vector<const Backend*> backends = ShelfBackends();
  if (weights != tensor::DType::kBF16 && weights != tensor::DType::kI8) return backends;
  for (const EmulatedAmx& amx : EmulatedAmxBackends()) backends.push_back(amx.with_tiles);
  return backends;
}

int ShelfCost() {
  return 0;
}

}  // namespace sglrun::kernels::testing
