#include "kernels/cuda/backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenCudaBackend(int, Products) {
  return Error{"this sglrun was built without CUDA: build it where nvcc is, with SGLRUN_CUDA=ON"};
}

std::string CudaBuild() {
  return "";
}

}  // namespace sglrun::kernels
