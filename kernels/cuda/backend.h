// Backends on a device: the same code over CUDA's runtime and over the simulated device.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kernels/backend.h"

namespace sglrun::kernels {

// Owns the device. Everything made with the backend must be gone before it.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual const Backend& backend() const = 0;
  virtual std::string Describe() = 0;  // "NVIDIA H100 (sm_90, 80 GiB)"
};

// The reason when the device cannot be used: built without CUDA, no driver or one too old, no such
// device, one that the kernels were not compiled for.
Result<std::unique_ptr<DeviceBackend>> OpenCudaBackend(int index);
// "toolkit 13.0, architectures 80-real 90a-real"; "" when built without CUDA.
std::string CudaBuild();
// For planning a card that is not here: the sizes of weights and pages are a device's, everything
// else is the reference's.
const Backend& PlanningBackend();
// The simulated device: for tests, and for finding faults without a GPU.
Result<std::unique_ptr<DeviceBackend>> OpenSimBackend();

}  // namespace sglrun::kernels
