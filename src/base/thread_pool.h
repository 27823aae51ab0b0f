// Threads that work on one step together. Run() calls fn(thread, threads) once for every number: 0
// on the caller, each other on its own thread, or on the caller if that thread is late. Then it
// returns.
//
// Waiting is bounded: a thread spins some 20-50 microseconds (a step's next operation usually comes
// sooner), then yields, then sleeps, so that waiting threads do not take much time on an
// oversubscribed machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace sglrun {

class ThreadPool {
 public:
  // At least 1, the caller. If the system creates fewer threads than requested, these do all the
  // work.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  template <class Fn>
  void Run(Fn&& fn) {
    RunErased(
        [](void* context, int thread, int threads) {
          (*static_cast<std::remove_reference_t<Fn>*>(context))(thread, threads);
        },
        &fn);
  }

  // Splits [0, count) into one contiguous range per thread: fn(begin, end). The result for an index
  // must not depend on the thread.
  template <class Fn>
  void ParallelFor(std::int64_t count, Fn&& fn) {
    Run([&](int thread, int threads) {
      const std::int64_t begin = count * thread / threads;
      const std::int64_t end = count * (thread + 1) / threads;
      if (begin < end) fn(begin, end);
    });
  }

  // For a clock: the nanoseconds that each thread spent in tasks, and those that Run took on the
  // caller. Empty if the caller is the only thread.
  struct Times {
    std::atomic<std::int64_t> working{0};
    std::int64_t running = 0;
  };
  // Sets the clock; nullptr removes it.
  void Time(Times* times) { times_ = times; }

 private:
  using Task = void (*)(void* context, int thread, int threads);
  void RunErased(Task task, void* context);
  void RunTimed(Task task, void* context);
  int StartWorkers(int count);  // how many there are

  struct State;
  int threads_;
  Times* times_ = nullptr;
  std::unique_ptr<State> state_;
};

// Cores this process may run on.
int AvailableCores();

}  // namespace sglrun
