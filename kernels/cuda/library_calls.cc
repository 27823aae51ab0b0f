#include <algorithm>

#include "kernels/cuda/calls.h"
#include "kernels/cuda/device.h"

namespace sglrun::kernels::cuda::calls {

// Scratch for either way, so that it stays where graphs know it.
bool MultiplyByLibrary(DeviceState& device, GemmParams params) {
  LibraryProducts* library = device.library();
  if (library == nullptr || !LibraryProducts::Takes(params)) return false;
  params.scratch = device.Scratch(
      std::max(LibraryScratchBytes(params), GemmScratchBytes(params.m, params.weight)));
  return library->Multiply(params, device.ops());
}

}  // namespace sglrun::kernels::cuda::calls
