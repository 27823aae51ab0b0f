// All that the CUDA backend asks of a GPU: memory, copies, streams, events, graphs. Two bodies,
// CUDA's runtime (cuda_runtime.cc) and the simulated device (sim_runtime.cc), so that the same
// backend runs in tests on any machine. One Runtime is one device; it is driven by one thread at a
// time.
//
// Work on streams is asynchronous: host memory that a copy reads or writes comes from AllocPinned
// and is left alone until the copy is known to be done. Allocation can fail; any other failure
// means a mistake of ours or a lost device and stops the program with CUDA's own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::gpu {

struct StreamTag;
using Stream = StreamTag*;
struct EventTag;
using Event = EventTag*;
struct GraphTag;
using Graph = GraphTag*;

struct Properties {
  std::string name;
  int index = 0;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;
  bool is_simulated = false;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual const Properties& properties() const = 0;
  // Lets the calling thread drive the device; the one that opened it already does.
  virtual void UseHere() = 0;
  virtual std::size_t FreeMemory() = 0;

  // 256-byte aligned; nullptr when there is not enough. Freeing waits for the device.
  virtual void* Alloc(std::size_t bytes) = 0;
  virtual void Free(void* data) = 0;
  virtual void* AllocPinned(std::size_t bytes) = 0;
  virtual void FreePinned(void* data) = 0;

  virtual Stream MakeStream() = 0;
  virtual void DestroyStream(Stream stream) = 0;
  virtual void Synchronize(Stream stream) = 0;

  virtual void CopyToDevice(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void CopyToHost(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void CopyOnDevice(void* to, const void* from, std::size_t bytes, Stream stream) = 0;

  // For libraries that enqueue by themselves: `enqueue` gets the stream as CUDA knows it, at once,
  // or, on the simulated device and while a graph is captured there, null when its turn has come.
  virtual void Call(Stream stream, std::function<void(void* native)> enqueue) = 0;

  virtual Event MakeEvent() = 0;
  virtual void DestroyEvent(Event event) = 0;
  virtual void Record(Event event, Stream stream) = 0;
  virtual void Wait(Stream stream, Event event) = 0;
  virtual void Synchronize(Event event) = 0;
  virtual bool HasPassed(Event event) = 0;

  // Between the two the stream's work is kept instead of done.
  virtual void BeginCapture(Stream stream) = 0;
  virtual Graph EndCapture(Stream stream) = 0;
  virtual void Launch(Graph graph, Stream stream) = 0;
  virtual void DestroyGraph(Graph graph) = 0;
};

std::unique_ptr<Runtime> OpenSimulated();

// The reason when the device cannot be used: no driver, an old driver, no such device, one that the
// kernels were not compiled for.
Result<std::unique_ptr<Runtime>> OpenCuda(int index, std::string_view architectures);

// Whether kernels compiled for `architectures`, as CMake spells them ("80-real 90a-real 120"), run
// on a chip of this compute capability.
bool RunsOn(std::string_view architectures, int major, int minor);

}  // namespace sglrun::gpu
