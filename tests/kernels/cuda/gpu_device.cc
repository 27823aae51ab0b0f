#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kernels/cuda/gpu/runtime.h"
#include "shelf_device.h"

namespace sglrun::kernels::testing {
namespace {

constexpr int kNoGpu = 77;  // the test is skipped
constexpr std::size_t kPinnedBytes = std::size_t{16} << 20;

class GpuDevice final : public ShelfDevice {
 public:
  explicit GpuDevice(std::unique_ptr<gpu::Runtime> runtime)
      : runtime_(std::move(runtime)), pinned_(runtime_->AllocPinned(kPinnedBytes)) {
    const gpu::Properties& properties = runtime_->properties();
    isa_ = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
    if (pinned_ == nullptr) std::abort();
  }

  std::string_view isa() const override { return isa_; }
  const cuda::Ops& ops() const override { return gpu_world::CudaOps(); }
  int cost() const override { return 0; }
  int turns() const override { return 2; }
  void BeginTurn(int) override {}
  std::string TurnName() const override { return "called twice"; }

  unsigned char* Allocate(std::size_t bytes) override {
    auto* data = static_cast<unsigned char*>(runtime_->Alloc(bytes));
    if (data == nullptr) std::abort();
    return data;
  }
  void Write(void* device, const void* host, std::size_t bytes) override {
    for (std::size_t at = 0; at < bytes; at += kPinnedBytes) {
      const std::size_t part = std::min(kPinnedBytes, bytes - at);
      std::memcpy(pinned_, static_cast<const char*>(host) + at, part);
      runtime_->CopyToDevice(static_cast<char*>(device) + at, pinned_, part, nullptr);
      runtime_->Synchronize(gpu::Stream{});
    }
  }
  void Read(void* host, const void* device, std::size_t bytes) override {
    for (std::size_t at = 0; at < bytes; at += kPinnedBytes) {
      const std::size_t part = std::min(kPinnedBytes, bytes - at);
      runtime_->CopyToHost(pinned_, static_cast<const char*>(device) + at, part, nullptr);
      runtime_->Synchronize(gpu::Stream{});
      std::memcpy(static_cast<char*>(host) + at, pinned_, part);
    }
  }

 private:
  std::unique_ptr<gpu::Runtime> runtime_;
  void* pinned_;
  std::string isa_;
};

}  // namespace

ShelfDevice& TheShelfDevice() {
  static auto* device = [] {
    auto runtime = gpu::OpenCuda(0, SGLRUN_CUDA_ARCHITECTURES);
    if (!runtime.ok()) {
      std::fprintf(stderr, "%s\n", runtime.error().message.c_str());
      std::exit(kNoGpu);
    }
    return new GpuDevice(std::move(*runtime));
  }();
  return *device;
}

}  // namespace sglrun::kernels::testing
