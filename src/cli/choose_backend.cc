// --device and --isa.
#include <charconv>
#include <optional>

#include "base/log.h"
#include "cli/load.h"
#include "kernels/cuda/backend.h"

namespace sglrun::cli {
namespace {

Result<const kernels::Backend*> CpuBackend(const Options& options) {
  if (options.isa == "ref") return &kernels::RefBackend();
  return kernels::CpuBackend(options.isa);
}

// The number of "cuda" and "cuda:N"; absent for other devices.
std::optional<int> CudaIndex(std::string_view device) {
  if (device == "cuda") return 0;
  constexpr std::string_view kPrefix = "cuda:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  int index = -1;
  std::from_chars(device.data() + kPrefix.size(), device.data() + device.size(), index);
  return index;
}

Status CheckDevice(const Options& options) {
  if (options.isa == "auto") return {};
  return Error{"--device " + options.device + " has no --isa " + options.isa +
               ", which is the CPU's"};
}

const kernels::Backend* Keep(std::unique_ptr<kernels::DeviceBackend> device, Compute& compute) {
  LogInfo("running on " + device->Describe());
  compute.device = std::move(device);
  return &compute.device->backend();
}

}  // namespace

Result<const kernels::Backend*> ChooseBackend(const Options& options, Compute& compute) {
  const std::optional<int> cuda = CudaIndex(options.device);
  if (options.device == "auto") {
    const bool is_wanted = !kernels::CudaBuild().empty() && options.isa == "auto";
    if (!is_wanted) return CpuBackend(options);
    auto device = kernels::OpenCudaBackend(0);
    if (device.ok()) return Keep(std::move(*device), compute);
    LogInfo(device.error().message + "; running on the CPU");
    return CpuBackend(options);
  }
  if (options.device == "cpu") return CpuBackend(options);
  SGLRUN_RETURN_IF_ERROR(CheckDevice(options));
  auto device = cuda ? kernels::OpenCudaBackend(*cuda) : kernels::OpenSimBackend();
  if (!device.ok()) return Error{"--device " + options.device + ": " + device.error().message};
  return Keep(std::move(*device), compute);
}

}  // namespace sglrun::cli
