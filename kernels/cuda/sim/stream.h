// Streams, events and graphs of the simulated device, as lazy as CUDA allows: work runs when
// somebody waits for it, and streams take turns drawn from a seed. A host read before its event, a
// pinned buffer written again too early, a copy without a wait: each fails at every run, not once a
// week.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cuda/sim/machine.h"

namespace sglrun::sim {

gpu::Stream MakeStream();
void DestroyStream(gpu::Stream stream);  // after its work

struct Event {
  std::uint64_t recorded = 0;
  std::uint64_t passed = 0;
};
void Record(Event& event, gpu::Stream stream);
void Wait(gpu::Stream stream, Event& event);  // for the record made last
void Synchronize(gpu::Stream stream);
void Synchronize(Event& event);
void SynchronizeAll();
// Whether the event has passed; some work may get done meanwhile.
bool Query(Event& event);

// What was enqueued while the stream was capturing, to be enqueued again with the same pointers.
struct Graph {
  std::vector<std::function<void()>> work;
};
void BeginCapture(gpu::Stream stream);
Graph EndCapture(gpu::Stream stream);
void LaunchGraph(const Graph& graph, gpu::Stream stream);

// Which interleaving of the streams is drawn.
void SetStreamSeed(std::uint64_t seed);

}  // namespace sglrun::sim
