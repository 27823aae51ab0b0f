// The simulated device itself: what kernels may rely on, and what it refuses.
#include <numeric>
#include <vector>

#include "kernels/cuda/cu.h"
#include "tests/kernels/cuda/support.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::CU_WORLD {
namespace {

using testing::DeviceArray;

__global__ void ReverseSums(const int* x, int* sums, int n) {
  CU_SHARED(int, part, 4);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int value = i < n ? x[i] : 0;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

TEST_CASE("a block sums through shuffles and shared memory, in any order of its threads") {
  std::vector<int> x(300);
  std::iota(x.begin(), x.end(), 1);
  testing::InEveryOrder([&] {
    const DeviceArray<int> input(x);
    DeviceArray<int> sums(3);
    cu::launch(ReverseSums, dim3(3), dim3(128), 0, nullptr, input.data(), sums.data(), 300);
    CHECK(sums.Read() == std::vector<int>{128 * 129 / 2, (129 + 256) * 64, (257 + 300) * 22});
    return sums.Read();
  });
}

}  // namespace
}  // namespace sglrun::kernels::CU_WORLD
