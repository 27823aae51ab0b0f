#include "kernels/cuda/gpu/cublaslt_library.h"
#include "kernels/cuda/make_backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenCudaBackend(int index, Products products) {
  SGLRUN_ASSIGN_OR_RETURN(std::unique_ptr<gpu::Runtime> runtime,
                          gpu::OpenCuda(index, SGLRUN_CUDA_ARCHITECTURES));
  return cuda::MakeBackend(
      "cuda", std::move(runtime), gpu_world::CudaOps(),
      products == Products::kLibrary ? gpu::lt::AllPlaces() : std::vector<std::string>());
}

std::string CudaBuild() {
  return "toolkit " SGLRUN_CUDA_TOOLKIT ", architectures " SGLRUN_CUDA_ARCHITECTURES;
}

}  // namespace sglrun::kernels
