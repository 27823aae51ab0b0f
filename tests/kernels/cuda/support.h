// What the tests of kernels on the simulated device share.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/sim/heap.h"
#include "kernels/cuda/sim/machine.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::testing {

// An array in device memory; NaN bytes until it is written.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size)
      : size_(size), data_(static_cast<T*>(sim::DeviceAlloc(size * sizeof(T)))) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    std::memcpy(data_, values.data(), values.size_bytes());
    sim::NoteHostWrite(data_, values.size_bytes());
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(std::span<const T>(values)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { sim::DeviceFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> Read() const { return std::vector<T>(data_, data_ + size_); }

 private:
  std::size_t size_;
  T* data_;
};

// Runs `run` in a child process: "" when it ends well, what it printed when it ends with words, "a
// signal" when the machine ends it without.
std::string WordsOfDeath(const std::function<void()>& run);

// Runs `run` with the threads forward, backward and shuffled; it returns a vector whose bits must
// be the same every time.
template <class Run>
void InEveryOrder(Run run) {
  sim::Settings& settings = sim::TheSettings();
  const auto first = run();
  for (const sim::Order order : {sim::Order::kReverse, sim::Order::kRandom}) {
    settings.order = order;
    settings.seed += 17;
    CAPTURE(static_cast<int>(order));
    CAPTURE(settings.seed);
    const auto again = run();
    REQUIRE(again.size() == first.size());
    CHECK(std::memcmp(again.data(), first.data(), first.size() * sizeof(first[0])) == 0);
  }
  settings.order = sim::Order::kForward;
}

}  // namespace sglrun::kernels::testing
