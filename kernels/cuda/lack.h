// Where a step finds the device's memory gone. Steps take what they need at the start
// (Device::Reserve), so only what a record itself makes large comes here: a great many logprobs,
// biases or embeddings at once.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/cuda/gpu/runtime.h"

namespace sglrun::kernels::cuda {

// Ends the program with one sentence and exit code 2. Nobody up the stack could give memory back,
// and half a step cannot be undone; what was written continues with the same command, as after a
// kill.
[[noreturn]] void EndForLack(std::string_view what, std::size_t needed, gpu::Runtime& runtime);

}  // namespace sglrun::kernels::cuda
