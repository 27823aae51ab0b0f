#include "kernels/cuda/backend.h"

namespace sglrun::kernels {

Result<std::unique_ptr<DeviceBackend>> OpenSimBackend(Products) {
  return Error{"the simulated device runs in builds for x86-64"};
}

}  // namespace sglrun::kernels
