// Bounds of everything a constraint can make us do (grammar.md 6). Nothing a record holds makes the
// program hang or grow without bound: work is paid from a Budget, and an empty one is kTooLarge.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "grammar/grammar_error.h"

namespace sglrun::grammar {

struct Limits {
  std::size_t text_bytes = std::size_t{4} << 20;
  std::size_t regex_bytes = std::size_t{64} << 10;
  int nesting = 512;
  std::int64_t nodes = 1'000'000;           // of the intermediate representation
  std::int64_t automaton_states = 200'000;  // of one product
  std::int64_t repetition = 1'000'000;      // bound of a counted repetition
  std::int64_t expanded_states = 20'000;    // of a repetition that a product unrolls
  std::chrono::milliseconds product_time{500};
  std::chrono::milliseconds compile_time{5000};
  std::size_t frontier_items = 2'000;
  std::int64_t steps_per_token = 50'000;
};

// The time one compile may take. Cheap to ask: looks at the clock once every thousand calls.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  const Limits& limits() const { return *limits_; }
  // kTooLarge when the time is used up. `doing`: "intersecting patterns", for the sentence.
  Result<void, GrammarError> Spend(const char* doing);
  // The same, but looks at the clock at once: for loops that count their own steps.
  Result<void, GrammarError> SpendNow(const char* doing) const;

 private:
  const Limits* limits_;
  std::chrono::steady_clock::time_point end_;
  std::uint32_t calls_ = 0;
};

}  // namespace sglrun::grammar
