// Equal sequences of numbers get equal ids, counted from 0: the sets of a subset construction, the
// pairs of a product, the labels of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sglrun::grammar {

class SequencePool {
 public:
  SequencePool() : slots_(kFirstSlots, kFree) {}

  std::int32_t Intern(std::span<const std::int32_t> sequence);
  void Clear();  // keeps the memory

  std::int32_t size() const { return static_cast<std::int32_t>(hashes_.size()); }
  std::size_t numbers() const { return numbers_.size(); }  // of all sequences together
  // Valid until the next Intern.
  std::span<const std::int32_t> operator[](std::int32_t id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::span(numbers_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  static constexpr std::int32_t kFree = -1;
  static constexpr std::size_t kFirstSlots = 64;

  void Grow();

  std::vector<std::int32_t> slots_;  // open addressing, a power of two of them
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> begin_{0};
  std::vector<std::int32_t> numbers_;
};

}  // namespace sglrun::grammar
