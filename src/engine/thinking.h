// The tokens of a record that thinks before it answers: free until a sequence of tokens ends them,
// or until a budget is used up and that sequence is forced.
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
  // The token that must come next because the budget is used up; -1 while any may.
  std::int32_t forced() const;
  void Take(std::int32_t token);  // !over()
  std::int64_t taken() const { return taken_; }

 private:
  std::vector<std::int32_t> end_;
  std::optional<std::int64_t> budget_;
  // fallback_[n]: length of the longest shorter beginning of `end` that its first n tokens end with
  // (Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977).
  std::vector<std::size_t> fallback_;
  std::size_t matched_ = 0;  // the tokens so far end with so many of the end's
  std::int64_t taken_ = 0;
};

}  // namespace sglrun::engine
