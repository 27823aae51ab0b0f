#include "cli/version.h"

#include "kernels/backend.h"

namespace sglrun::cli {

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
  out += names + "\nCUDA: not built in\n";
  return out;
}

}  // namespace sglrun::cli
