#include "base/thread_pool.h"

#include <doctest/doctest.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace sglrun {
namespace {

TEST_CASE("Run calls every thread once and returns when all are done") {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    REQUIRE_EQ(pool.threads(), threads);
    std::vector<int> calls(static_cast<std::size_t>(threads), 0);
    for (int round = 1; round <= 200; ++round) {
      pool.Run([&](int thread, int count) {
        CHECK_EQ(count, threads);
        ++calls[static_cast<std::size_t>(thread)];
      });
      REQUIRE_EQ(std::accumulate(calls.begin(), calls.end(), 0), round * threads);
    }
  }
}

TEST_CASE("ParallelFor covers every index once, whatever the count") {
  ThreadPool pool(3);
  for (const std::int64_t count : {0, 1, 2, 3, 4, 7, 100}) {
    std::vector<int> seen(static_cast<std::size_t>(count), 0);
    pool.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  }
}

TEST_CASE("threads that fell asleep wake for the next task") {
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool.Run([&](int, int) { ++calls; });
  }
  CHECK_EQ(calls.load(), 6);
}

TEST_CASE("the caller waits for a slow thread") {
  ThreadPool pool(2);
  bool slow_done = false;
  pool.Run([&](int thread, int) {
    if (thread != 1) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    slow_done = true;
  });
  CHECK(slow_done);
}

TEST_CASE("a clock of the pool counts the time of all threads and of the caller, while it is set") {
  ThreadPool pool(2);
  ThreadPool::Times times;
  auto sleep = [](int, int) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  pool.Time(&times);
  pool.Run(sleep);
  CHECK(times.working >= 10'000'000);
  CHECK(times.running >= 5'000'000);
  const std::int64_t before = times.working;
  pool.Time(nullptr);
  pool.Run(sleep);
  CHECK_EQ(times.working, before);
}

TEST_CASE("a pool that was never used can be destroyed") {
  const ThreadPool pool(4);
}

TEST_CASE("if no thread can be created, the caller does all the work") {
  pthread_attr_t before, huge;
  REQUIRE_EQ(::pthread_getattr_default_np(&before), 0);
  REQUIRE_EQ(::pthread_getattr_default_np(&huge), 0);
  REQUIRE_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 60), 0);  // no such memory
  REQUIRE_EQ(::pthread_setattr_default_np(&huge), 0);
  {
    ThreadPool pool(3);
    CHECK_EQ(pool.threads(), 1);
    std::int64_t sum = 0;
    pool.ParallelFor(10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sum += i;
    });
    CHECK_EQ(sum, 45);
  }
  ::pthread_setattr_default_np(&before);
  ::pthread_attr_destroy(&before);
  ::pthread_attr_destroy(&huge);
}

TEST_CASE("there is at least one core") {
  CHECK_GE(AvailableCores(), 1);
}

}  // namespace
}  // namespace sglrun
