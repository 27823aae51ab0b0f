// Objects that hold a file open, of which only some exist at a time: systems permit 1,024 open files
// or more, and a run may have more shards.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"

namespace sglrun::run {

template <class T>
class FewOpen {
 public:
  explicit FewOpen(std::size_t count) : objects_(count) {}

  // Object i, made by open() if it does not exist. The one that was made first is destroyed if
  // there are too many.
  template <class Open>
  Result<T*> Get(std::size_t i, const Open& open) {
    if (objects_[i] != nullptr) return objects_[i].get();
    if (made_.size() == kMost) {
      objects_[made_.front()].reset();
      made_.pop_front();
    }
    SGLRUN_ASSIGN_OR_RETURN(objects_[i], open());
    made_.push_back(i);
    return objects_[i].get();
  }

 private:
  static constexpr std::size_t kMost = 256;

  std::vector<std::unique_ptr<T>> objects_;
  std::deque<std::size_t> made_;  // those that exist
};

}  // namespace sglrun::run
