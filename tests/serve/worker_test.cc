#include "serve/worker.h"

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace sglrun::serve {
namespace {

TEST_CASE("a worker does everything in order, on one thread of its own") {
  std::vector<int> done;
  std::vector<std::thread::id> threads;
  Worker worker(Worker::Kind::kThread);
  for (int i = 0; i < 100; ++i) {
    worker.Do([&, i] {
      done.push_back(i);
      threads.push_back(std::this_thread::get_id());
    });
  }
  worker.Wait();
  REQUIRE(done.size() == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(done[static_cast<std::size_t>(i)] == i);
    CHECK(threads[static_cast<std::size_t>(i)] == threads[0]);
  }
  CHECK(threads[0] != std::this_thread::get_id());
}

TEST_CASE("a worker finishes its queued work before it is destroyed") {
  std::atomic<int> done = 0;
  {
    Worker worker(Worker::Kind::kThread);
    for (int i = 0; i < 20; ++i) worker.Do([&] { ++done; });
  }
  CHECK(done == 20);
}

TEST_CASE("an inline worker does it at once on the caller's thread") {
  Worker worker(Worker::Kind::kInline);
  std::thread::id thread;
  worker.Do([&] { thread = std::this_thread::get_id(); });
  CHECK(thread == std::this_thread::get_id());
  worker.Wait();
}

}  // namespace
}  // namespace sglrun::serve
