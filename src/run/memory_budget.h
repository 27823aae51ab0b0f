// The memory of all records of a run: lines being read, prompts and sequences, compiled
// constraints, results and waiting rows. It has one fixed limit, which does not depend on the
// machine. Thread-safe.
//
// The limit applies only to new records. A record that needs more memory to continue gets it
// immediately, so that the run never deadlocks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace sglrun::run {

// Of one run. A record's bounds (engine/result_room.h, io/jsonl_reader.h, io/dialect/record.h) lie
// below.
inline constexpr std::int64_t kRunMemory = std::int64_t{1} << 30;

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t limit = kRunMemory) : limit_(limit) {}

  bool Fits(std::int64_t bytes) const {
    const std::lock_guard lock(mutex_);
    return held_ + bytes <= limit_;
  }
  // Waits a short time, or until memory is released; then returns Fits.
  bool WaitUntilFits(std::int64_t bytes, std::chrono::milliseconds patience) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return held_ + bytes <= limit_; });
  }
  std::int64_t held() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

 private:
  friend class MemoryHold;
  void Add(std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      held_ += bytes;
    }
    if (bytes < 0) changed_.notify_all();
  }

  const std::int64_t limit_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::int64_t held_ = 0;
};

// Some bytes of a budget, released by the destructor.
class MemoryHold {
 public:
  MemoryHold() = default;
  MemoryHold(std::shared_ptr<MemoryBudget> budget, std::int64_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {
    budget_->Add(bytes_);
  }
  MemoryHold(MemoryHold&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryHold() {
    if (budget_ != nullptr) budget_->Add(-bytes_);
  }

  std::int64_t bytes() const { return bytes_; }
  // Requires a budget.
  void Resize(std::int64_t bytes) {
    budget_->Add(bytes - bytes_);
    bytes_ = bytes;
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::int64_t bytes_ = 0;
};

}  // namespace sglrun::run
