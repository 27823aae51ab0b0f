// Runs work on its own thread, in parallel with the caller. If no thread can be created, the work
// runs when its result is requested.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace sglrun::run {

template <class T>
class Background {
 public:
  // Objects that `work` refers to must outlive this object.
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

  std::future<T> result_;  // if the result was never requested, the destructor waits
};

}  // namespace sglrun::run
