// The backend over any runtime.
#pragma once

#include <memory>
#include <string_view>

#include "kernels/cuda/backend.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

std::unique_ptr<DeviceBackend> MakeBackend(std::string_view name,
                                           std::unique_ptr<gpu::Runtime> runtime, const Ops& ops);

}  // namespace sglrun::kernels::cuda
