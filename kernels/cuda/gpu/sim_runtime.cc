// The runtime on the simulated device. It asks for what CUDA needs to be right, also where the
// host's memory would forgive: copies go between pinned and device memory, inside live allocations.
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/check.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/sim/heap.h"
#include "kernels/cuda/sim/stream.h"

namespace sglrun::gpu {
namespace {

class SimulatedRuntime final : public Runtime {
 public:
  SimulatedRuntime() {
    properties_ = {.name = "simulated device",
                   .major = 9,
                   .minor = 0,
                   .multiprocessors = 4,
                   .memory = sim::DeviceMemoryTotal(),
                   .is_simulated = true};
  }

  const Properties& properties() const override { return properties_; }
  void UseHere() override {}
  std::size_t FreeMemory() override { return sim::DeviceMemoryFree(); }

  void* Alloc(std::size_t bytes) override { return sim::DeviceAlloc(bytes); }
  void Free(void* data) override {
    sim::SynchronizeAll();
    sim::DeviceFree(data);
  }
  void* AllocPinned(std::size_t bytes) override {
    void* data = std::malloc(bytes);
    if (data != nullptr) pinned_[static_cast<char*>(data)] = bytes;
    return data;
  }
  void FreePinned(void* data) override {
    sim::SynchronizeAll();
    CHECK(data == nullptr || pinned_.erase(static_cast<char*>(data)) == 1);
    std::free(data);
  }

  Stream MakeStream() override { return sim::MakeStream(); }
  void DestroyStream(Stream stream) override { sim::DestroyStream(stream); }
  void Synchronize(Stream stream) override { sim::Synchronize(stream); }

  void CopyToDevice(void* to, const void* from, std::size_t bytes, Stream stream) override {
    RequirePinned(from, bytes);
    RequireDevice(to, bytes);
    Copy(to, from, bytes, stream);
  }
  void CopyToHost(void* to, const void* from, std::size_t bytes, Stream stream) override {
    RequirePinned(to, bytes);
    RequireDevice(from, bytes);
    Copy(to, from, bytes, stream);
  }
  void CopyOnDevice(void* to, const void* from, std::size_t bytes, Stream stream) override {
    RequireDevice(to, bytes);
    RequireDevice(from, bytes);
    Copy(to, from, bytes, stream);
  }

  void Call(Stream stream, std::function<void(void* native)> enqueue) override {
    sim::Enqueue(stream, [enqueue = std::move(enqueue)] { enqueue(nullptr); });
  }

  Event MakeEvent() override { return reinterpret_cast<Event>(new sim::Event); }
  void DestroyEvent(Event event) override {
    sim::SynchronizeAll();
    delete Of(event);
  }
  void Record(Event event, Stream stream) override { sim::Record(*Of(event), stream); }
  void Wait(Stream stream, Event event) override { sim::Wait(stream, *Of(event)); }
  void Synchronize(Event event) override { sim::Synchronize(*Of(event)); }
  bool HasPassed(Event event) override { return sim::Query(*Of(event)); }

  void BeginCapture(Stream stream) override { sim::BeginCapture(stream); }
  Graph EndCapture(Stream stream) override {
    return reinterpret_cast<Graph>(new sim::Graph(sim::EndCapture(stream)));
  }
  void Launch(Graph graph, Stream stream) override { sim::LaunchGraph(*Of(graph), stream); }
  void DestroyGraph(Graph graph) override {
    sim::SynchronizeAll();
    delete Of(graph);
  }

 private:
  static sim::Event* Of(Event event) { return reinterpret_cast<sim::Event*>(event); }
  static sim::Graph* Of(Graph graph) { return reinterpret_cast<sim::Graph*>(graph); }

  void RequirePinned(const void* data, std::size_t bytes) const {
    const char* begin = static_cast<const char*>(data);
    auto place = pinned_.upper_bound(const_cast<char*>(begin));
    const bool is_inside = place != pinned_.begin() &&
                           begin + bytes <= std::prev(place)->first + std::prev(place)->second;
    if (!is_inside) sim::Fail("a copy of %zu bytes uses host memory that is not pinned", bytes);
  }
  static void RequireDevice(const void* data, std::size_t bytes) {
    if (!sim::IsDeviceMemory(data, bytes)) {
      sim::Fail("a copy of %zu bytes leaves its device allocation", bytes);
    }
  }

  static void Copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    sim::Enqueue(stream, [=] {
      std::memcpy(to, from, bytes);
      if (sim::IsDeviceAddress(to)) sim::NoteHostWrite(to, bytes);
    });
  }

  Properties properties_;
  std::map<char*, std::size_t> pinned_;
};

}  // namespace

std::unique_ptr<Runtime> OpenSimulated() {
  return std::make_unique<SimulatedRuntime>();
}

}  // namespace sglrun::gpu
