// --device, --isa, and what --deterministic means on a device.
#include "base/log.h"
#include "cli/device_list.h"
#include "cli/load.h"
#include "kernels/cuda/backend.h"

namespace sglrun::cli {
namespace {

Result<const kernels::Backend*> CpuBackend(const Options& options) {
  if (options.isa == "ref") return &kernels::RefBackend();
  if (options.dtype == "f16") {
    return Error{
        "--dtype f16 is for GPUs (--device cuda); on the CPU use bf16, or f32, which keeps every "
        "bit"};
  }
  return kernels::CpuBackend(options.isa);
}

Status CheckDevice(const Options& options) {
  SGLRUN_RETURN_IF_ERROR(CheckDeviceCache(options));
  if (options.isa == "auto") return {};
  return Error{"--device " + options.device + " has no --isa " + options.isa +
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

Status CheckDeviceCache(const Options& options) {
  if (options.kv_dtype != "int8") return {};
  return Error{"--kv-dtype int8 is for the CPU (--device cpu); on a GPU use bf16, or auto"};
}

// It takes no other weights (kernels/cuda/library_products.h).
bool WantsLibrary(const Options& options, tensor::DType weights) {
  return !options.deterministic && weights == tensor::DType::kBF16;
}

std::size_t DeviceCount(const Options& options) {
  return ParseDevices(options.device).indices.size();
}

Result<const kernels::Backend*> ChooseBackend(const Options& options, tensor::DType weights,
                                              Compute& compute) {
  const std::size_t count = DeviceCount(options);
  if (count > 1) {
    return Error{"--device " + options.device + " names " + std::to_string(count) +
                 " devices; several are for batch and plan"};
  }
  return OpenDevice(options, weights, 0, compute);
}

Result<const kernels::Backend*> OpenDevice(const Options& options, tensor::DType weights,
                                           std::size_t which, Compute& compute) {
  const DeviceList devices = ParseDevices(options.device);
  const kernels::Products products =
      WantsLibrary(options, weights) ? kernels::Products::kLibrary : kernels::Products::kOwn;
  if (devices.kind == DeviceKind::kAuto) {
    const bool is_wanted = !kernels::CudaBuild().empty() && options.isa == "auto";
    if (!is_wanted) return CpuBackend(options);
    auto device = kernels::OpenCudaBackend(0, products);
    if (device.ok()) {
      SGLRUN_RETURN_IF_ERROR(CheckDeviceCache(options));
      return Keep(std::move(*device), compute);
    }
    LogInfo(device.error().message + "; running on the CPU");
    return CpuBackend(options);
  }
  if (devices.kind == DeviceKind::kCpu) return CpuBackend(options);
  SGLRUN_RETURN_IF_ERROR(CheckDevice(options));
  if (devices.indices.empty()) return Error{"--device " + options.device + " names no device"};
  auto device = devices.kind == DeviceKind::kCuda
                    ? kernels::OpenCudaBackend(devices.indices[which], products)
                    : kernels::OpenSimBackend(products);
  if (!device.ok()) return Error{"--device " + options.device + ": " + device.error().message};
  return Keep(std::move(*device), compute);
}

}  // namespace sglrun::cli
