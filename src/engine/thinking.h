// The reasoning tokens before an answer. They are unconstrained until an end sequence of tokens is
// generated, or until a budget is used up and the end sequence is forced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sglrun::engine {

class Thinking {
 public:
  // `end` is not empty. `budget`: the most tokens before the end, which is not counted.
  Thinking(std::vector<std::int32_t> end, std::optional<std::int64_t> budget);

  bool over() const { return matched_ == end_.size(); }
  // The token that is forced because the budget is used up; -1 while any token is allowed.
  std::int32_t forced() const;
  void Take(std::int32_t token);  // !over()
  std::int64_t taken() const { return taken_; }

 private:
  std::vector<std::int32_t> end_;
  std::optional<std::int64_t> budget_;
  // fallback_[n]: length of the longest proper prefix of `end` that its first n tokens end with
  // (Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977).
  std::vector<std::size_t> fallback_;
  std::size_t matched_ = 0;  // tokens of the end sequence at the current end
  std::int64_t taken_ = 0;
};

}  // namespace sglrun::engine
