// Work that comes again with the same sizes, kept as graphs: a step of a hundred launches becomes
// one. What a graph has captured are addresses, so it is good only while all memory stays where it
// was: once anything on the device was freed, all graphs are made again.
//
//   Recorder::Work& work = recorder.Find(key, frees);
//   ...                                     its arrays go to work.arrays, or as work.room says
//   recorder.Play(work, places, launches);  places: where the arrays lie
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/packet.h"
#include "kernels/transfer.h"

namespace sglrun::kernels::cuda {

class Recorder {
 public:
  struct Work {
    explicit Work(gpu::Runtime& runtime) : arrays(runtime) {}
    Packet arrays;                  // of its own, so that they are where the graph reads them
    std::vector<std::size_t> room;  // of the arrays of a parcel (parcel.h), which only grows

   private:
    friend class Recorder;
    gpu::Graph graph = nullptr;
    std::vector<const void*> places;  // that the graph knows
    bool has_run = false;             // everything it needs has its size
  };

  // Everything runs on `stream`.
  Recorder(gpu::Runtime& runtime, gpu::Stream stream) : runtime_(&runtime), stream_(stream) {}
  ~Recorder() { Forget(); }

  // `frees`: how often device memory has been given back so far. Good until the next Find.
  Work& Find(std::span<const std::uint64_t> key, std::uint64_t frees);
  void Play(Work& work, std::vector<const void*> places, const std::function<void()>& launches);

  // Stages the arrays, then plays.
  void Run(const RepeatArgs& args, std::uint64_t frees);

  // Graphs replayed so far, for tests.
  std::int64_t replays() const { return replays_; }

 private:
  void Forget();
  void Drop(Work& work);

  gpu::Runtime* runtime_;
  gpu::Stream stream_;
  std::map<std::vector<std::uint64_t>, Work> works_;
  std::uint64_t frees_ = 0;
  std::int64_t replays_ = 0;
};

}  // namespace sglrun::kernels::cuda
