// How fast this machine multiplies, measured in a fraction of a second with the kernels that a run
// would use: for the time estimate of `plan`.
#pragma once

#include "kernels/backend.h"
#include "serve/load.h"
#include "tensor/dtype.h"

namespace sglrun::plan {

struct MachineSpeed {
  double bytes_per_s = 1;  // weights streamed through a product with one row
  double flops_per_s = 1;  // a product with many rows
};
MachineSpeed MeasureMachine(const kernels::Backend& backend, tensor::DType dtype,
                            serve::Compute& compute);

}  // namespace sglrun::plan
