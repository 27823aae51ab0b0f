#include "base/thread_pool.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace sglrun {
namespace {

inline void CpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

constexpr auto kSpinTime = std::chrono::microseconds(40);
constexpr int kYields = 50;

// Waits until `word` differs from `old`: spin, yield, sleep.
std::uint32_t WaitWhileEqual(std::atomic<std::uint32_t>& word, std::uint32_t old) {
  const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      if (const std::uint32_t now = word.load(std::memory_order_acquire); now != old) return now;
      CpuRelax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  for (int i = 0; i < kYields; ++i) {
    if (const std::uint32_t now = word.load(std::memory_order_acquire); now != old) return now;
    std::this_thread::yield();
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

std::int64_t Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

// The share of each thread number in a generation is done once, by the first to claim it: the
// thread itself, or the caller after it has finished its own share. The caller therefore does not
// wait for a descheduled thread, unless the thread is in the middle of its share. On two cores with
// ten other busy processes a decode step took twice as long on two threads as on one when the
// caller waited for all of them.
struct ThreadPool::State {
  // The last generation whose share was claimed.
  struct alignas(64) Claim {
    std::atomic<std::uint32_t> generation{0};
  };

  explicit State(int most_threads) : claims(static_cast<std::size_t>(most_threads)) {}

  // Here and not in ~ThreadPool, which does not run if memory ends after the first thread started.
  ~State() {
    stop = true;
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> pending{0};  // unfinished shares of this generation
  std::vector<Claim> claims;
  int threads = 1;  // that exist, fixed before the first generation
  Task task = nullptr;
  void* context = nullptr;
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;

  // Every share of the previous generation was claimed, so each claim holds its number; a thread of
  // an older generation cannot claim a share any more.
  bool TryShare(int thread, std::uint32_t now) {
    std::uint32_t before = now - 1;
    if (!claims[static_cast<std::size_t>(thread)].generation.compare_exchange_strong(
            before, now, std::memory_order_acq_rel)) {
      return false;
    }
    task(context, thread, threads);
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) pending.notify_one();
    return true;
  }

  void Work(int thread) {
    std::uint32_t seen = 0;
    for (;;) {
      seen = WaitWhileEqual(generation, seen);
      if (stop) return;
      TryShare(thread, seen);
    }
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads), state_(std::make_unique<State>(threads)) {
  CHECK(threads >= 1) << threads;
  threads_ = state_->threads = 1 + StartWorkers(threads - 1);
  if (threads_ < threads) {
    LogWarning("the system gives " + std::to_string(threads_) + " of " + std::to_string(threads) +
               " threads; they are used");
  }
}

int ThreadPool::StartWorkers(int count) {
  state_->workers.reserve(static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) {
    try {
      state_->workers.emplace_back([this, i] { state_->Work(i); });
    } catch (const std::system_error&) {  // a limit of processes or of memory
      return i - 1;
    } catch (const std::bad_alloc&) {
      return i - 1;
    }
  }
  return count;
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::RunErased(Task task, void* context) {
  if (threads_ == 1) {
    task(context, 0, 1);
    return;
  }
  if (times_ != nullptr) return RunTimed(task, context);
  state_->task = task;
  state_->context = context;
  state_->pending.store(static_cast<std::uint32_t>(threads_ - 1), std::memory_order_relaxed);
  const std::uint32_t now = state_->generation.fetch_add(1, std::memory_order_release) + 1;
  state_->generation.notify_all();
  task(context, 0, threads_);
  for (int thread = 1; thread < threads_; ++thread) state_->TryShare(thread, now);
  for (std::uint32_t left = state_->pending.load(std::memory_order_acquire); left != 0;) {
    left = WaitWhileEqual(state_->pending, left);
  }
}

void ThreadPool::RunTimed(Task task, void* context) {
  Times& times = *std::exchange(times_, nullptr);
  const std::int64_t start = Now();
  Run([&](int thread, int threads) {
    const std::int64_t begin = Now();
    task(context, thread, threads);
    times.working.fetch_add(Now() - begin, std::memory_order_relaxed);
  });
  times.running += Now() - start;
  times_ = &times;
}

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

}  // namespace sglrun
