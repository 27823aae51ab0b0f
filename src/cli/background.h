// Work beside the caller, on a thread of its own; where none can be had, once its result is asked
// for.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace sglrun::cli {

template <class T>
class Background {
 public:
  // What `work` refers to outlives this.
  template <class Work>
  explicit Background(Work work) : result_(Begin(std::move(work))) {}

  // Waits for it. Once.
  T Get() { return result_.get(); }

 private:
  template <class Work>
  static std::future<T> Begin(Work work) {
    try {
      return std::async(std::launch::async, work);
    } catch (const std::system_error&) {
      return std::async(std::launch::deferred, work);
    }
  }

  std::future<T> result_;  // one that was never asked for waits in its destructor
};

}  // namespace sglrun::cli
