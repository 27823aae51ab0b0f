// Between the host's memory and the backend's, which are the same on the CPU.
//
// Arrays of a forward pass (ids, positions, slots, lengths, block tables) change with every step:
// the step stages them all in one packed copy and its operations take what `stage` gives back. The
// operations of sampling (draw, logits_process, sample, logprobs) take and give arrays of the host.
//
// On a device, operations on staged arrays only enqueue, in the order of their calls. `repeat` is
// `stage` and what follows it, for work that comes again: the device keeps it as a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

// In the host's memory before `stage`, in the backend's after it, until the second `stage` from
// then.
struct StagedArray {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

// out[i, :] = in[rows[i], :]; in f32 [n, W], rows [m] staged, out f32 [m, W], no overlap.
struct GatherRowsArgs {
  tensor::TensorView in;
  std::span<const std::int32_t> rows;
  tensor::TensorView out;
};

std::string Check(const GatherRowsArgs& args);

// Work on arrays whose values change and whose sizes do not: with equal keys, `work` makes the same
// calls on the same memory. The host simply runs it every time.
struct RepeatArgs {
  std::span<const std::uint64_t> key;
  std::span<StagedArray> arrays;                // staged before `work` is called
  const std::function<void()>* work = nullptr;  // enqueues; waits for nothing, stages nothing
};

// The host's own: stage leaves arrays where they are, upload and download copy.
namespace host {
void Stage(std::span<StagedArray> arrays, KernelContext& context);
void Repeat(const RepeatArgs& args, KernelContext& context);
void Copy(void* to, const void* from, std::size_t bytes, KernelContext& context);
void GatherRows(const GatherRowsArgs& args, KernelContext& context);
}  // namespace host

}  // namespace sglrun::kernels
