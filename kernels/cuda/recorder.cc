#include "kernels/cuda/recorder.h"

#include <utility>

namespace sglrun::kernels::cuda {
namespace {

// Of buckets of rows and of lengths. More than that are not of one run.
constexpr std::size_t kMostWorks = 256;

}  // namespace

void Recorder::Forget() {
  if (works_.empty()) return;
  runtime_->Synchronize(stream_);
  for (auto& [key, work] : works_) {
    if (work.graph != nullptr) runtime_->DestroyGraph(work.graph);
  }
  works_.clear();
}

void Recorder::Run(const RepeatArgs& args, std::uint64_t frees) {
  if (std::exchange(frees_, frees) != frees || works_.size() > kMostWorks) Forget();
  const auto place =
      works_.try_emplace(std::vector(args.key.begin(), args.key.end()), *runtime_).first;
  Work& work = place->second;
  work.arrays.Stage(args.arrays, stream_);
  RunOrCapture(args, work);
}

// The first time it runs as it is: buffers grow, kernels are loaded, neither of which a capture
// allows.
void Recorder::RunOrCapture(const RepeatArgs& args, Work& work) {
  if (!work.has_run) {
    (*args.work)();
    work.has_run = true;
    return;
  }
  if (work.graph == nullptr) {
    runtime_->BeginCapture(stream_);
    (*args.work)();
    work.graph = runtime_->EndCapture(stream_);
  }
  runtime_->Launch(work.graph, stream_);
  ++replays_;
}

}  // namespace sglrun::kernels::cuda
