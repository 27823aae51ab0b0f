#include "kernels/cuda/sim/stream.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "base/check.h"

namespace sglrun::sim {
namespace {

struct Work {
  std::function<void()> run;
  const Event* awaited = nullptr;
  std::uint64_t record = 0;
};

struct Queue {
  std::deque<Work> work;
  std::optional<Graph> capture;
};

class Streams {
 public:
  Queue* Make() { return queues_.emplace_back(std::make_unique<Queue>()).get(); }

  void Destroy(const Queue* queue) {
    std::erase_if(queues_, [&](const auto& entry) { return entry.get() == queue; });
  }

  // One piece of work of one stream, drawn; false when no stream can continue.
  bool RunOne() {
    if (queues_.empty()) return false;
    const std::size_t first = Random() % queues_.size();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = *queues_[(first + i) % queues_.size()];
      if (queue.work.empty()) continue;
      Work& next = queue.work.front();
      if (next.awaited != nullptr && next.awaited->passed < next.record) continue;
      const std::function<void()> run = std::move(next.run);
      queue.work.pop_front();
      if (run) run();
      return true;
    }
    return false;
  }

  template <class Done>
  void RunUntil(Done done) {
    while (!done()) {
      if (!RunOne()) Fail("the streams wait for each other, or for an event nobody records");
    }
  }

  bool AllIdle() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue->work.empty(); });
  }

  void set_seed(std::uint64_t seed) { random_ = seed * 2 + 1; }

 private:
  std::uint64_t Random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return random_ >> 33;
  }

  std::vector<std::unique_ptr<Queue>> queues_;
  std::uint64_t random_ = 1;
};

Streams& TheStreams() {
  static auto* streams = new Streams;
  return *streams;
}

// Threads that drive devices of their own take turns. Held while work runs, which may enqueue more.
using Turn = std::lock_guard<std::recursive_mutex>;
std::recursive_mutex& TheTurn() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

Queue& Of(gpu::Stream stream) {
  CHECK(stream != nullptr) << "the null stream has no queue";
  return *reinterpret_cast<Queue*>(stream);
}

void RequireNoCapture(const Queue& queue, const char* what) {
  if (queue.capture) Fail("%s during the capture of a graph", what);
}

}  // namespace

gpu::Stream MakeStream() {
  const Turn turn(TheTurn());
  return reinterpret_cast<gpu::Stream>(TheStreams().Make());
}

void DestroyStream(gpu::Stream stream) {
  const Turn turn(TheTurn());
  Synchronize(stream);
  TheStreams().Destroy(&Of(stream));
}

void Enqueue(gpu::Stream stream, std::function<void()> work) {
  const Turn turn(TheTurn());
  Queue& queue = Of(stream);
  if (queue.capture) {
    queue.capture->work.push_back(std::move(work));
  } else {
    queue.work.push_back({std::move(work)});
  }
}

void Record(Event& event, gpu::Stream stream) {
  const Turn turn(TheTurn());
  RequireNoCapture(Of(stream), "an event is recorded");
  const std::uint64_t record = ++event.recorded;
  Enqueue(stream, [&event, record] { event.passed = record; });
}

void Wait(gpu::Stream stream, Event& event) {
  const Turn turn(TheTurn());
  RequireNoCapture(Of(stream), "a stream waits for an event");
  Of(stream).work.push_back({nullptr, &event, event.recorded});
}

void Synchronize(gpu::Stream stream) {
  const Turn turn(TheTurn());
  const Queue& queue = Of(stream);
  RequireNoCapture(queue, "the host waits");
  TheStreams().RunUntil([&] { return queue.work.empty(); });
}

void Synchronize(Event& event) {
  const Turn turn(TheTurn());
  const std::uint64_t record = event.recorded;
  TheStreams().RunUntil([&] { return event.passed >= record; });
}

void SynchronizeAll() {
  const Turn turn(TheTurn());
  TheStreams().RunUntil([] { return TheStreams().AllIdle(); });
}

bool Query(Event& event) {
  const Turn turn(TheTurn());
  TheStreams().RunOne();
  return event.passed >= event.recorded;
}

void BeginCapture(gpu::Stream stream) {
  const Turn turn(TheTurn());
  RequireNoCapture(Of(stream), "a second capture begins");
  Of(stream).capture.emplace();
}

Graph EndCapture(gpu::Stream stream) {
  const Turn turn(TheTurn());
  Queue& queue = Of(stream);
  CHECK(queue.capture.has_value());
  Graph graph = *std::move(queue.capture);
  queue.capture.reset();
  return graph;
}

void LaunchGraph(const Graph& graph, gpu::Stream stream) {
  const Turn turn(TheTurn());
  for (const std::function<void()>& work : graph.work) Enqueue(stream, work);
}

void SetStreamSeed(std::uint64_t seed) {
  const Turn turn(TheTurn());
  TheStreams().set_seed(seed);
}

}  // namespace sglrun::sim
