#include "base/check.h"
#include "kernels/cuda/cu.h"

namespace sglrun::cu {

void fail_launch(int error) {
  CHECK(false) << "a kernel could not be launched: "
               << cudaGetErrorString(static_cast<cudaError_t>(error));
  __builtin_unreachable();
}

}  // namespace sglrun::cu
