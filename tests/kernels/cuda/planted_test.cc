// Faults that the checker must find, one kernel each, and kernels without fault that it must let
// pass. This file is compiled with the checker's hooks.
#include <string>
#include <vector>

#include "kernels/cuda/cu.h"
#include "kernels/cuda/sim/checker.h"
#include "tests/kernels/cuda/support.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::CU_WORLD {
namespace {

using testing::DeviceArray;
using testing::WordsOfDeath;

__global__ void Neighbours(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}

__global__ void ReadBeforeBarrier(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = tile[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
  __syncthreads();
}

__global__ void WriteBeforeBarrier(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
  tile[threadIdx.x] = 0;
}

__global__ void OneTooFar(const int* x, int* y) {
  y[threadIdx.x + 1] = x[threadIdx.x];
}

__global__ void SharedOneTooFar(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];
}

__global__ void NeverWritten(const int* x, int* y) {
  CU_SHARED(int, tile, 65);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x + 1];
}

__global__ void BlocksMeet(const int* x, int* y) {
  y[0] = x[threadIdx.x] + y[0];
}

__global__ void BlocksAdd(const int* x, int* y) {
  atomicAdd(&y[0], x[threadIdx.x]);
}

__global__ void ShuffleIsNoBarrier(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[threadIdx.x];
  __shfl_xor_sync(0xffffffffu, 0, 1);
  y[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void SyncWarpIsOne(const int* x, int* y) {
  CU_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void WaitForgotten(const int* x, int* y) {
  CU_SHARED(int, tile, 256);
  cu::cp_async16(tile + 4 * threadIdx.x, x);
  cu::cp_async_commit();
  __syncthreads();
  y[threadIdx.x] = tile[4 * threadIdx.x];
  cu::cp_async_wait<0>();
}

__global__ void Misaligned(const int* x, int* y) {
  cu::st16(y + threadIdx.x * 4, cu::ld16(x + 1));
}

std::string Verdict(void (*kernel)(const int*, int*), unsigned blocks = 1) {
  return WordsOfDeath([&] {
    sim::StartChecker();
    const DeviceArray<int> x(std::vector<int>(64, 3));
    const DeviceArray<int> y(64);
    if (blocks > 1) std::memset(y.data(), 0, 256);
    if (blocks > 1) sim::NoteHostWrite(y.data(), 256);
    cu::launch(kernel, dim3(blocks), dim3(64), 0, nullptr, static_cast<const int*>(x.data()),
               y.data());
  });
}

bool Finds(const std::string& verdict, const char* what) {
  INFO(verdict);
  return verdict.find(what) != std::string::npos;
}

TEST_CASE("the checker lets kernels without fault pass") {
  CHECK(Verdict(Neighbours) == "");
  CHECK(Verdict(SyncWarpIsOne) == "");
  CHECK(Verdict(BlocksAdd, 3) == "");
}

TEST_CASE("the checker finds every planted fault") {
  CHECK(Finds(Verdict(ReadBeforeBarrier), "race"));
  CHECK(Finds(Verdict(WriteBeforeBarrier), "race (write after read)"));
  CHECK(Finds(Verdict(OneTooFar), "outside of device memory"));
  CHECK(Finds(Verdict(SharedOneTooFar), "outside of shared memory"));
  CHECK(Finds(Verdict(NeverWritten), "memory that nobody wrote"));
  CHECK(Finds(Verdict(BlocksMeet, 2), "race"));
  CHECK(Finds(Verdict(ShuffleIsNoBarrier), "race (read after write)"));
  CHECK(Finds(Verdict(WaitForgotten), "memory that nobody wrote"));
  CHECK(Finds(Verdict(Misaligned), "misaligned"));
}

TEST_CASE("neighbouring loads count as few sectors, scattered ones as many") {
  sim::StartChecker();
  sim::TakeAccessCounts();
  const DeviceArray<int> x(std::vector<int>(64, 3));
  const DeviceArray<int> y(64);
  cu::launch(Neighbours, dim3(1), dim3(64), 0, nullptr, static_cast<const int*>(x.data()),
             y.data());
  const sim::AccessCounts counts = sim::TakeAccessCounts();
  sim::SetObserver(nullptr);
  CHECK(counts.global_requests == 4);  // two warps read and write
  CHECK(counts.global_sectors == 16);
  CHECK(counts.global_bytes == 512);
  CHECK(counts.shared_requests == 4);
  CHECK(counts.shared_wavefronts == 4);
}

}  // namespace
}  // namespace sglrun::kernels::CU_WORLD
