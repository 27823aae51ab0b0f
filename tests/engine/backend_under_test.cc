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
  CHECK(wanted == "sim") << "SGLRUN_TEST_BACKEND is " << wanted << ", must be cpu or sim";
  // Open until the program ends, for models that tests keep in static memory.
  static auto* device = new std::unique_ptr(kernels::OpenSimBackend().value());
  return (*device)->backend();
}

}  // namespace

const kernels::Backend& BackendUnderTest() {
  static const kernels::Backend& backend = Open();
  return backend;
}

}  // namespace sglrun::engine
