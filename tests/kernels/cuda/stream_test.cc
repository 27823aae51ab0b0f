// The backend's runtime on the simulated device: streams are lazy and take turns drawn from a seed.
#include <cstring>
#include <utility>

#include "kernels/cuda/cu.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/sim/stream.h"
#include "tests/kernels/cuda/support.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::CU_WORLD {
namespace {

using testing::WordsOfDeath;

__global__ void AddOne(int* x) {
  x[threadIdx.x] += 1;
}

// A loop that launches step t + 1 before it reads the tokens of step t, as a decode loop does: the
// graph of a step on one stream, the copy of its tokens on another. Gives how many steps read
// something else than their own tokens; `is_waited_for`: whether the host waits for the copy.
int StaleSteps(std::uint64_t seed, bool is_waited_for) {
  constexpr int kSteps = 50;
  sim::SetStreamSeed(seed);
  const auto runtime = gpu::OpenSimulated();
  gpu::Stream work = runtime->MakeStream(), copies = runtime->MakeStream();
  auto* state = static_cast<int*>(runtime->Alloc(128));
  int* device[2];
  int* pinned[2];
  gpu::Event ready[2], copied[2];
  for (int i = 0; i < 2; ++i) {
    device[i] = static_cast<int*>(runtime->Alloc(128));
    pinned[i] = static_cast<int*>(runtime->AllocPinned(128));
    std::memset(pinned[i], 0, 128);
    ready[i] = runtime->MakeEvent();
    copied[i] = runtime->MakeEvent();
  }
  runtime->CopyToDevice(state, pinned[0], 128, work);
  runtime->Synchronize(work);
  runtime->BeginCapture(work);
  cu::launch(AddOne, dim3(1), dim3(32), 0, work, state);
  gpu::Graph graph = runtime->EndCapture(work);

  int stale = 0;
  for (int t = 0; t <= kSteps; ++t) {
    const int now = t % 2, before = 1 - now;
    if (t < kSteps) {
      runtime->Launch(graph, work);
      runtime->Wait(work, copied[now]);
      runtime->CopyOnDevice(device[now], state, 128, work);
      runtime->Record(ready[now], work);
      runtime->Wait(copies, ready[now]);
      runtime->CopyToHost(pinned[now], device[now], 128, copies);
      runtime->Record(copied[now], copies);
    }
    if (t == 0) continue;
    if (is_waited_for) runtime->Synchronize(copied[before]);
    stale += pinned[before][3] != t;
  }
  runtime->DestroyGraph(graph);
  for (int i = 0; i < 2; ++i) {
    runtime->Free(device[i]);
    runtime->FreePinned(pinned[i]);
    runtime->DestroyEvent(ready[i]);
    runtime->DestroyEvent(copied[i]);
  }
  runtime->Free(state);
  runtime->DestroyStream(work);
  runtime->DestroyStream(copies);
  return stale;
}

TEST_CASE("an overlapped loop reads its own tokens, in twenty orders of the streams") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(StaleSteps(seed, true) == 0);
  }
}

TEST_CASE("without its wait the loop reads stale tokens, in every order") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(StaleSteps(seed, false) > 0);
  }
}

TEST_CASE("copies need pinned memory, and stay inside of allocations") {
  const auto copy = [](bool is_pinned, std::size_t bytes) {
    return WordsOfDeath([&] {
      const auto runtime = gpu::OpenSimulated();
      char stack[256] = {};
      void* host = is_pinned ? runtime->AllocPinned(256) : stack;
      runtime->CopyToDevice(runtime->Alloc(200), host, bytes, runtime->MakeStream());
    });
  };
  CHECK(copy(true, 200) == "");
  CHECK(copy(false, 200).find("not pinned") != std::string::npos);
  CHECK(copy(true, 201).find("leaves its device allocation") != std::string::npos);
}

TEST_CASE("kernels run on the chips that they were compiled for") {
  constexpr const char* kRelease = "80-real 86-real 89-real 90a-real 100-real 120";
  for (const std::pair<int, int> chip :
       {std::pair(8, 0), {8, 6}, {8, 7}, {8, 9}, {9, 0}, {10, 3}, {12, 0}, {12, 1}, {13, 0}}) {
    CAPTURE(chip.first);
    CAPTURE(chip.second);
    CHECK(gpu::RunsOn(kRelease, chip.first, chip.second));
  }
  CHECK_FALSE(gpu::RunsOn(kRelease, 7, 5));
  CHECK_FALSE(gpu::RunsOn("90a-real", 8, 0));
  CHECK_FALSE(gpu::RunsOn("90a-real", 10, 0));
  CHECK_FALSE(gpu::RunsOn("86-real", 8, 0));
}

TEST_CASE("a device without room gives no memory") {
  const std::size_t total = sim::DeviceMemoryTotal();
  const auto runtime = gpu::OpenSimulated();
  CHECK(runtime->Alloc(total + 1) == nullptr);
}

}  // namespace
}  // namespace sglrun::kernels::CU_WORLD
