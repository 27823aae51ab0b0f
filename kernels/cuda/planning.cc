// Sizes without a device.
#include "kernels/cuda/backend.h"
#include "kernels/cuda/terms.h"

namespace sglrun::kernels {

const Backend& PlanningBackend() {
  static const Backend backend = [] {
    Backend made = RefBackend();
    made.name = "cuda";
    made.isa = "plan";
    made.wide_int8_groups = false;
    made.table.packed_weight_bytes = cuda::PackedWeightBytes;
    made.table.kv_page_bytes = cuda::KvPageBytes;
    return made;
  }();
  return backend;
}

}  // namespace sglrun::kernels
