// Work that comes again with the same sizes, kept as graphs: a step of a hundred launches becomes
// one. What a graph has captured are addresses, so it is good only while all memory stays where it
// was: once anything on the device was freed, all graphs are made anew.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/packet.h"
#include "kernels/transfer.h"

namespace sglrun::kernels::cuda {

class Recorder {
 public:
  // Everything runs on `stream`.
  Recorder(gpu::Runtime& runtime, gpu::Stream stream) : runtime_(&runtime), stream_(stream) {}
  ~Recorder() { Forget(); }

  // `frees`: how often device memory has been given back so far.
  void Run(const RepeatArgs& args, std::uint64_t frees);

  // Graphs replayed so far, for tests.
  std::int64_t replays() const { return replays_; }

 private:
  struct Work {
    explicit Work(gpu::Runtime& runtime) : arrays(runtime) {}
    Packet arrays;  // of its own, so that they are where the graph reads them
    gpu::Graph graph = nullptr;
    bool has_run = false;  // everything it needs has its size
  };
  void Forget();
  void RunOrCapture(const RepeatArgs& args, Work& work);

  gpu::Runtime* runtime_;
  gpu::Stream stream_;
  std::map<std::vector<std::uint64_t>, Work> works_;
  std::uint64_t frees_ = 0;
  std::int64_t replays_ = 0;
};

}  // namespace sglrun::kernels::cuda
