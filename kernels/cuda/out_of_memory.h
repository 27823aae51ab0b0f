// Where a step finds memory gone. The large things are taken at the start: activations, scratch and
// the arrays of a forward pass (Device::Reserve). What a draw sends and fetches and the arrays of a
// graph are taken when they first come: a few MiB, for which planning leaves room
// (engine/memory_plan.h), or more where a record asks for a great many logprobs or biases.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/cuda/gpu/runtime.h"

namespace sglrun::kernels::cuda {

// Throw OutOfMemory (base/shortage.h), which ends the program.
[[noreturn]] void ThrowOutOfMemory(std::string_view what, std::size_t needed,
                                   gpu::Runtime& runtime);
// Of the host's pinned memory.
[[noreturn]] void ThrowOutOfPinnedMemory(std::string_view what, std::size_t needed);

}  // namespace sglrun::kernels::cuda
