// Where CUDA would be undefined the simulated device stops. Each mistake runs in a child process
// whose last words are read.
#include <string>

#include "kernels/cuda/cu.h"
#include "kernels/cuda/sim/stream.h"
#include "tests/kernels/cuda/support.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::CU_WORLD {
namespace {

using testing::DeviceArray;
using testing::WordsOfDeath;

__global__ void BarrierInBranch(int* x) {
  if (threadIdx.x < 32) {
    __syncthreads();
    x[threadIdx.x] = 1;
  } else {
    __syncthreads();
  }
}

__global__ void BarrierAfterReturn(int* x) {
  if (threadIdx.x == 5) return;
  __syncthreads();
  x[threadIdx.x] = 1;
}

__global__ void BarrierByHalfABlock(int* x) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  x[threadIdx.x] = 1;
}

__global__ void ShuffleByHalfAWarp(int* x) {
  int value = 0;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(0xffffffffu, 1, 1);
  x[threadIdx.x] = value;
}

__global__ void ShuffleFromOutside(int* x) {
  int value = 0;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(0x0000ffffu, 1, 16);
  x[threadIdx.x] = value;
}

__global__ void CopyWithoutWait(int* x) {
  CU_SHARED(int, tile, 128);
  cu::cp_async16(tile + threadIdx.x * 4, x + threadIdx.x * 4);
  cu::cp_async_commit();
}

std::string LastWords(void (*kernel)(int*)) {
  return WordsOfDeath([&] {
    const DeviceArray<int> x(256);
    cu::launch(kernel, dim3(1), dim3(64), 0, nullptr, x.data());
  });
}

TEST_CASE("a barrier that not all threads of the block reach together is refused") {
  CHECK(LastWords(BarrierInBranch).find("different barriers") != std::string::npos);
  CHECK(LastWords(BarrierAfterReturn).find("left the kernel") != std::string::npos);
  CHECK(LastWords(BarrierByHalfABlock).find("left the kernel") != std::string::npos);
}

TEST_CASE("a shuffle whose mask does not fit its callers is refused") {
  CHECK(LastWords(ShuffleByHalfAWarp).find("while others wait for it") != std::string::npos);
  CHECK(LastWords(ShuffleFromOutside).find("not in the mask") != std::string::npos);
}

TEST_CASE("an asynchronous copy nobody waits for is refused") {
  CHECK(LastWords(CopyWithoutWait).find("nobody waited for") != std::string::npos);
}

TEST_CASE("memory around an allocation and freed memory cannot be used") {
  const auto write = [](std::ptrdiff_t at) {
    return WordsOfDeath([&] {
      auto* x = static_cast<char*>(sim::DeviceAlloc(1000));
      x[at] = 1;
      sim::DeviceFree(x);
      if (at == 0) x[at] = 2;
    });
  };
  CHECK(write(999) == "");
  CHECK(write(1000).find("wrote around") != std::string::npos);
  CHECK(write(-1).find("wrote around") != std::string::npos);
  CHECK(write(0) == "a signal");
  CHECK(write(1024) == "a signal");
}

TEST_CASE("waiting for an event nobody records is refused") {
  CHECK(WordsOfDeath([] {
          gpu::Stream a = sim::MakeStream();
          sim::Event event;
          event.recorded = 1;
          sim::Wait(a, event);
          sim::Synchronize(a);
        }).find("wait for each other") != std::string::npos);
}

}  // namespace
}  // namespace sglrun::kernels::CU_WORLD
