#include "backend_under_test.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "base/check.h"
#include "kernels/cuda/backend.h"

namespace sglrun::engine {
namespace {

const kernels::Backend& Open() {
  const char* name = std::getenv("SGLRUN_TEST_BACKEND");
  const std::string wanted = name == nullptr ? "cpu" : name;
  if (wanted == "cpu") return *kernels::CpuBackend().value();
  CHECK(wanted == "sim" || wanted == "cuda")
      << "SGLRUN_TEST_BACKEND is " << wanted << ", must be cpu, sim or cuda";
  auto device = wanted == "sim" ? kernels::OpenSimBackend() : kernels::OpenCudaBackend(0);
  CHECK(device.ok()) << device.error().message;
  // Open until the program ends, for models that tests keep in static memory.
  static auto* kept = new std::unique_ptr(std::move(device).value());
  return (*kept)->backend();
}

}  // namespace

const kernels::Backend& BackendUnderTest() {
  static const kernels::Backend& backend = Open();
  return backend;
}

}  // namespace sglrun::engine
