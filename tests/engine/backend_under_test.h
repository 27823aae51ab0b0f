// The backend that the engine's tests run on: the fastest of the CPU, or the one that
// SGLRUN_TEST_BACKEND names ("sim": the simulated CUDA device, "cuda": the first GPU), so that one
// suite serves all.
#pragma once

#include "kernels/backend.h"

namespace sglrun::engine {

const kernels::Backend& BackendUnderTest();

}  // namespace sglrun::engine
