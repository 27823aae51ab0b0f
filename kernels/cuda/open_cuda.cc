#include "kernels/cuda/make_backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenCudaBackend(int index) {
  SGLRUN_ASSIGN_OR_RETURN(std::unique_ptr<gpu::Runtime> runtime,
                          gpu::OpenCuda(index, SGLRUN_CUDA_ARCHITECTURES));
  return cuda::MakeBackend("cuda", std::move(runtime), gpu_world::CudaOps());
}

std::string CudaBuild() {
  return "toolkit " SGLRUN_CUDA_TOOLKIT ", architectures " SGLRUN_CUDA_ARCHITECTURES;
}

}  // namespace sglrun::kernels
