#include "kernels/cuda/lack.h"

#include <unistd.h>

#include <string>

#include "base/log.h"
#include "base/strings.h"

namespace sglrun::kernels::cuda {
namespace {

constexpr int kCannotGoOn = 2;

[[noreturn]] void End(const std::string& problem, const std::string& options) {
  LogError(problem + "; lower " + options + ", and a batch run continues");
  ::_exit(kCannotGoOn);
}

std::string Needed(std::string_view what, std::size_t bytes) {
  return FormatByteSize(static_cast<std::int64_t>(bytes)) + " are needed for " + std::string(what);
}

}  // namespace

void EndForLack(std::string_view what, std::size_t needed, gpu::Runtime& runtime) {
  End("the device is out of memory: " + Needed(what, needed) + ", " +
          FormatByteSize(static_cast<std::int64_t>(runtime.FreeMemory())) + " are free",
      "--kv-memory, --max-rows or --max-batch-tokens");
}

void EndForPinnedLack(std::string_view what, std::size_t needed) {
  End("the host has no more pinned memory: " + Needed(what, needed),
      "--max-rows or --max-batch-tokens");
}

}  // namespace sglrun::kernels::cuda
