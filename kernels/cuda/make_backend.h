// The backend over any runtime.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/backend.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

// `library_places`: where cuBLASLt is looked for; none: it is not.
std::unique_ptr<DeviceBackend> MakeBackend(std::string_view name,
                                           std::unique_ptr<gpu::Runtime> runtime, const Ops& ops,
                                           const std::vector<std::string>& library_places);

}  // namespace sglrun::kernels::cuda
