#include "kernels/cuda/recorder.h"

#include <utility>

namespace sglrun::kernels::cuda {
namespace {

// A key combines a bucket of rows, one of lengths and the outputs wanted: one run has fewer keys.
constexpr std::size_t kMostWorks = 512;

}  // namespace

void Recorder::Drop(Work& work) {
  if (work.graph == nullptr) return;
  runtime_->Synchronize(stream_);
  runtime_->DestroyGraph(work.graph);
  work.graph = nullptr;
}

void Recorder::Forget() {
  for (auto& [key, work] : works_) Drop(work);
  works_.clear();
}

Recorder::Work& Recorder::Find(std::span<const std::uint64_t> key, std::uint64_t frees) {
  if (std::exchange(frees_, frees) != frees || works_.size() > kMostWorks) Forget();
  return works_.try_emplace(std::vector(key.begin(), key.end()), *runtime_).first->second;
}

// The first time the work runs without a capture, which allows neither that buffers grow nor that
// kernels are loaded.
void Recorder::Play(Work& work, std::vector<const void*> places,
                    const std::function<void()>& launches) {
  if (!work.has_run) {
    launches();
    work.has_run = true;
    return;
  }
  if (work.places != places) {
    Drop(work);
    work.places = std::move(places);
  }
  if (work.graph == nullptr) {
    runtime_->BeginCapture(stream_);
    launches();
    work.graph = runtime_->EndCapture(stream_);
  }
  runtime_->Launch(work.graph, stream_);
  ++replays_;
}

void Recorder::Run(const RepeatArgs& args, std::uint64_t frees) {
  Work& work = Find(args.key, frees);
  work.arrays.Stage(args.arrays, stream_);
  std::vector<const void*> places;
  for (const StagedArray& array : args.arrays) places.push_back(array.data);
  Play(work, std::move(places), *args.work);
}

}  // namespace sglrun::kernels::cuda
