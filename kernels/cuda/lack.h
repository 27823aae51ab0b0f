// Where a step finds memory gone. The large things are taken at the start: activations, scratch and
// the arrays of a forward pass (Device::Reserve). What a draw sends and fetches and the arrays of a
// graph are taken when they first come: a few MiB, for which planning leaves room
// (engine/memory_plan.h), or more where a record asks for a great many logprobs or biases.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/cuda/gpu/runtime.h"

namespace sglrun::kernels::cuda {

// End the program with one sentence and exit code 2. Nobody up the stack could give memory back,
// and half a step cannot be undone; a batch run continues with the same command, as after a kill.
[[noreturn]] void EndForLack(std::string_view what, std::size_t needed, gpu::Runtime& runtime);
// Of the host's pinned memory.
[[noreturn]] void EndForPinnedLack(std::string_view what, std::size_t needed);

}  // namespace sglrun::kernels::cuda
