// The device that sim_shelf.cc makes its calls on: the simulated one (sim_device.cc), or a GPU
// (gpu_device.cc), where there is one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/cuda/ops.h"

namespace sglrun::kernels::testing {

class ShelfDevice {
 public:
  virtual ~ShelfDevice() = default;

  virtual std::string_view isa() const = 0;
  virtual const cuda::Ops& ops() const = 0;
  virtual int cost() const = 0;  // ShelfCost()

  // Calls that must give the same bits, and what differs in the present one.
  virtual int turns() const = 0;
  virtual void BeginTurn(int turn) = 0;
  virtual std::string TurnName() const = 0;

  virtual unsigned char* Allocate(std::size_t bytes) = 0;
  // Done when they return.
  virtual void Write(void* device, const void* host, std::size_t bytes) = 0;
  virtual void Read(void* host, const void* device, std::size_t bytes) = 0;
};

ShelfDevice& TheShelfDevice();

}  // namespace sglrun::kernels::testing
