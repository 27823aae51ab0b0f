#include "console/version.h"

#include "kernels/backend.h"
#include "kernels/cuda/backend.h"

namespace sglrun::console {

std::string_view Version() {
  return SGLRUN_VERSION;
}

std::string VersionText() {
  std::string out = "sglrun " + std::string(Version()) + " (" SGLRUN_BUILD_TYPE ")\n";
  out += "instruction sets: ";
  std::string names;
  for (const std::string_view isa : kernels::CpuIsas()) {
    names += (names.empty() ? "" : ", ") + std::string(isa);
  }
  const std::string cuda = kernels::CudaBuild();
  out += names + "\nCUDA: " + (cuda.empty() ? "not built in" : cuda) + "\n";
  return out;
}

}  // namespace sglrun::console
