// --device, --isa, and what --deterministic means on a device.
#include "base/log.h"
#include "kernels/cuda/backend.h"
#include "serve/load.h"

namespace sglrun::serve {
namespace {

Result<const kernels::Backend*> CpuBackend(const ServeSettings& settings) {
  if (settings.host_kernels == HostKernels::kReference) return &kernels::RefBackend();
  if (settings.dtype == tensor::DType::kF16) {
    return Error{
        "--dtype f16 is for GPUs (--device cuda); on the CPU use bf16, or f32, which keeps every "
        "bit"};
  }
  return kernels::CpuBackend(settings.isa);
}

Status CheckDevice(const ServeSettings& settings) {
  SGLRUN_RETURN_IF_ERROR(CheckDeviceCache(settings));
  if (settings.host_kernels == HostKernels::kBest) return {};
  return Error{"--device " + settings.devices.text + " has no --isa " + settings.isa +
               ", which is the CPU's"};
}

const kernels::Backend* Keep(std::unique_ptr<kernels::DeviceBackend> device, Compute& compute) {
  LogInfo("running on " + device->Describe() + ", products: " + device->DescribeProducts());
  if (const std::string why = device->WhyNoLibrary(); !why.empty()) {
    LogWarning(why + "; products of many rows run on our own kernels, which are slower");
  }
  compute.device = std::move(device);
  return &compute.device->backend();
}

}  // namespace

Status CheckDeviceCache(const ServeSettings& settings) {
  if (settings.kv_dtype != tensor::DType::kI8) return {};
  return Error{"--kv-dtype int8 is for the CPU (--device cpu); on a GPU use bf16, or auto"};
}

// It takes no other weights (kernels/cuda/library_products.h).
bool WantsLibrary(const ServeSettings& settings, tensor::DType weights) {
  return !settings.deterministic && weights == tensor::DType::kBF16;
}

std::size_t DeviceCount(const ServeSettings& settings) {
  return settings.devices.indices.size();
}

Result<const kernels::Backend*> ChooseBackend(const ServeSettings& settings, tensor::DType weights,
                                              Compute& compute) {
  const std::size_t count = DeviceCount(settings);
  if (count > 1) {
    return Error{"--device " + settings.devices.text + " names " + std::to_string(count) +
                 " devices; several are for batch and plan"};
  }
  return OpenDevice(settings, weights, 0, compute);
}

Result<const kernels::Backend*> OpenDevice(const ServeSettings& settings, tensor::DType weights,
                                           std::size_t which, Compute& compute) {
  const DeviceList& devices = settings.devices;
  const kernels::Products products =
      WantsLibrary(settings, weights) ? kernels::Products::kLibrary : kernels::Products::kOwn;
  if (devices.kind == DeviceKind::kAuto) {
    const bool is_wanted =
        !kernels::CudaBuild().empty() && settings.host_kernels == HostKernels::kBest;
    if (!is_wanted) return CpuBackend(settings);
    auto device = kernels::OpenCudaBackend(0, products);
    if (device.ok()) {
      SGLRUN_RETURN_IF_ERROR(CheckDeviceCache(settings));
      return Keep(std::move(*device), compute);
    }
    LogInfo(device.error().message + "; running on the CPU");
    return CpuBackend(settings);
  }
  if (devices.kind == DeviceKind::kCpu) return CpuBackend(settings);
  SGLRUN_RETURN_IF_ERROR(CheckDevice(settings));
  if (devices.indices.empty())
    return Error{"--device " + settings.devices.text + " names no device"};
  auto device = devices.kind == DeviceKind::kCuda
                    ? kernels::OpenCudaBackend(devices.indices[which], products)
                    : kernels::OpenSimBackend(products);
  if (!device.ok())
    return Error{"--device " + settings.devices.text + ": " + device.error().message};
  return Keep(std::move(*device), compute);
}

}  // namespace sglrun::serve
