#include "kernels/cuda/gpu/cublaslt_library.h"
#include "kernels/cuda/make_backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenSimBackend(Products products) {
  return cuda::MakeBackend(
      "sim", gpu::OpenSimulated(), sim_world::CudaOps(),
      products == Products::kLibrary ? gpu::lt::NamedPlaces() : std::vector<std::string>());
}

}  // namespace sglrun::kernels
