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
  virtual std::string Describe() = 0;  // "NVIDIA H100 (sm_90+cublaslt-13.1.0, 80 GiB)"
  // "own kernels", or "cuBLASLt 13.1.0".
  virtual std::string DescribeProducts() = 0;
  // Why the library that was asked for is not used; "" when it is, or was not asked for.
  virtual std::string WhyNoLibrary() = 0;
};

// What multiplies many rows: our own kernels, which give a row the same bits in any batch, or
// cuBLASLt where it is found (cuda/library_products.h).
enum class Products : std::uint8_t { kOwn, kLibrary };
// Device memory that the library works in.
inline constexpr std::int64_t kProductsWorkspace = std::int64_t{32} << 20;

// The reason when the device cannot be used: built without CUDA, no driver or one too old, no such
// device, one that the kernels were not compiled for.
Result<std::unique_ptr<DeviceBackend>> OpenCudaBackend(int index,
                                                       Products products = Products::kOwn);
// "toolkit 13.0, architectures 80-real 90a-real"; "" when built without CUDA.
std::string CudaBuild();
// For planning a card that is not here: the sizes of weights and pages are a device's, everything
// else is the reference's.
const Backend& PlanningBackend();
// The simulated device: for tests, and for finding faults without a GPU. It looks for the library
// only where SGLRUN_CUBLAS_PATH says.
Result<std::unique_ptr<DeviceBackend>> OpenSimBackend(Products products = Products::kOwn);

}  // namespace sglrun::kernels
