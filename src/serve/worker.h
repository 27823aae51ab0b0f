// A thread that runs tasks in order; or no thread, and a task runs at once on the thread that gives
// it. A device is opened, filled, driven and closed by one thread: CUDA keeps the current one a
// thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sglrun::serve {

class Worker {
 public:
  enum class Kind : std::uint8_t { kInline, kThread };
  explicit Worker(Kind kind);
  ~Worker();  // after all its work
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Do(std::function<void()> work);
  void Wait();  // until all of it is done

 private:
  void Serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool is_busy_ = false, is_leaving_ = false;
  std::thread thread_;
};

}  // namespace sglrun::serve
