#include "kernels/cuda/make_backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenSimBackend() {
  return cuda::MakeBackend("sim", gpu::OpenSimulated(), sim_world::CudaOps());
}

}  // namespace sglrun::kernels
