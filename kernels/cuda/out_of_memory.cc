#include "kernels/cuda/out_of_memory.h"

#include <string>

#include "base/shortage.h"
#include "base/strings.h"

namespace sglrun::kernels::cuda {
namespace {

std::string Needed(std::string_view what, std::size_t bytes) {
  return FormatByteSize(static_cast<std::int64_t>(bytes)) + " are needed for " + std::string(what);
}

}  // namespace

void ThrowOutOfMemory(std::string_view what, std::size_t needed, gpu::Runtime& runtime) {
  throw OutOfMemory("the device is out of memory: " + Needed(what, needed) + ", " +
                        FormatByteSize(static_cast<std::int64_t>(runtime.FreeMemory())) +
                        " are free",
                    Shortage::kRunningStep);
}

void ThrowOutOfPinnedMemory(std::string_view what, std::size_t needed) {
  throw OutOfMemory("the host has no more pinned memory: " + Needed(what, needed),
                    Shortage::kPinned);
}

}  // namespace sglrun::kernels::cuda
