#include "kernels/operation_clock.h"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "support.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;

double Part(const OperationShares& shares, std::string_view name) {
  std::size_t i = 0;
  while (OperationShares::kNames[i] != name) ++i;
  return shares.parts[i];
}

// The reference works on the caller's thread: of two threads one waits all the time.
TEST_CASE("the clock tells the parts of a chain apart, and the thread that waits") {
  std::mt19937 random(1);
  ThreadPool pool(2);
  KernelContext context(pool);
  OperationClock clock(RefBackend(), context);
  const KernelTable& table = clock.backend().table;
  Matrix rows(64, 128), x(32, 128), weight(1, 128), normed(32, 128), y(32, 64);
  rows.FillNormal(random);
  x.FillNormal(random);
  weight.FillNormal(random);
  const PackedWeight packed = testing::Pack(clock.backend(), rows, tensor::DType::kF32, context);
  const NormGemmArgs args{
      .norm = {.x = x.view(), .add = {}, .weight = weight.flat(), .y = normed.view(), .eps = 1e-5f},
      .gemm = {.x = normed.view(), .weight = &packed, .bias = {}, .y = y.view()}};
  clock.Start();
  table.norm_gemm(table, args, context);
  const OperationShares shares = clock.Stop();
  CHECK(Part(shares, "products") > 0);
  CHECK(Part(shares, "elementwise") > 0);
  CHECK_EQ(Part(shares, "attention"), 0);
  CHECK_EQ(Part(shares, "sampling"), 0);
  CHECK_EQ(Part(shares, "waiting"), doctest::Approx(0.5));
  CHECK_EQ(std::accumulate(shares.parts.begin(), shares.parts.end(), 0.0), doctest::Approx(1.0));
}

TEST_CASE("working threads are not counted as waiting") {
  ThreadPool pool(2);
  KernelContext context(pool);
  OperationClock clock(RefBackend(), context);
  std::atomic<int> inside = 0;
  clock.Start();
  pool.Run([&](int, int) {
    for (++inside; inside < 2;) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  CHECK(Part(clock.Stop(), "other") > 0.1);  // 1, less what the machine lets it wait
}

}  // namespace
}  // namespace sglrun::kernels
