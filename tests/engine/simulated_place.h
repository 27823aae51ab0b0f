// A small model on a backend of its own: the CPU's, or a simulated device that is opened for it.
#pragma once

#include <memory>
#include <string>

#include "engine_fixture.h"
#include "kernels/cuda/backend.h"
#include "kernels/cuda/device.h"

namespace sglrun::engine {

// A model on a backend of its own.
struct Place {
  explicit Place(const kernels::Backend& backend) : context(pool) {
    auto files =
        model::ModelFiles::Open(std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/llama3");
    REQUIRE(files.ok());
    auto loaded =
        model::Model::Load(*files, {.dtype = tensor::DType::kF32, .backend = &backend}, context);
    REQUIRE(loaded.ok());
    model = std::move(loaded).value();
  }
  std::int64_t PagesBytes(std::int64_t pages) const {
    return pages * model::KvPageBytes(model->spec(), tensor::DType::kBF16, model->backend());
  }

  ThreadPool pool{2};
  kernels::KernelContext context;
  std::unique_ptr<model::Model> model;
};

struct SimulatedPlace {
  SimulatedPlace() : device(kernels::OpenSimBackend().value()), place(device->backend()) {}
  std::int64_t replays() const {
    return static_cast<const kernels::cuda::DeviceState*>(device->backend().device)
        ->recorder()
        .replays();
  }

  std::unique_ptr<kernels::DeviceBackend> device;
  Place place;
};

}  // namespace sglrun::engine
