#include <cstring>

#include "kernels/cuda/sim/heap.h"
#include "kernels/cuda/sim/machine.h"
#include "shelf_device.h"

namespace sglrun::kernels::testing {
namespace {

class SimDevice final : public ShelfDevice {
 public:
  std::string_view isa() const override { return "sim"; }
  const cuda::Ops& ops() const override { return sim_world::CudaOps(); }
  // The checker looks at every access: one order shows it all.
  int cost() const override { return sim::TheObserver() != nullptr ? 11 : 1; }
  int turns() const override { return cost() > 1 ? 1 : 3; }

  void BeginTurn(int turn) override {
    sim::Settings& settings = sim::TheSettings();
    settings.order = static_cast<sim::Order>(turn);
    ++settings.seed;
  }
  std::string TurnName() const override {
    return "seed " + std::to_string(sim::TheSettings().seed);
  }

  unsigned char* Allocate(std::size_t bytes) override {
    return static_cast<unsigned char*>(sim::DeviceAlloc(bytes));
  }
  void Write(void* device, const void* host, std::size_t bytes) override {
    std::memcpy(device, host, bytes);
    sim::NoteHostWrite(device, bytes);
  }
  void Read(void* host, const void* device, std::size_t bytes) override {
    std::memcpy(host, device, bytes);
  }
};

}  // namespace

ShelfDevice& TheShelfDevice() {
  static SimDevice device;
  return device;
}

}  // namespace sglrun::kernels::testing
