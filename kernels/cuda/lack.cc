#include "kernels/cuda/lack.h"

#include <unistd.h>

#include <string>

#include "base/log.h"
#include "base/strings.h"

namespace sglrun::kernels::cuda {
namespace {

constexpr int kCannotGoOn = 2;

}  // namespace

void EndForLack(std::string_view what, std::size_t needed, gpu::Runtime& runtime) {
  LogError("the device's memory is gone: " + FormatByteSize(static_cast<std::int64_t>(needed)) +
           " are needed for " + std::string(what) + ", " +
           FormatByteSize(static_cast<std::int64_t>(runtime.FreeMemory())) +
           " are free; lower --kv-memory, --max-rows or --max-batch-tokens, and the same command continues");
  ::_exit(kCannotGoOn);
}

}  // namespace sglrun::kernels::cuda
