// Bounds of everything a constraint can make us do. Nothing a record holds makes the
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
  // Work is counted in steps of about 10 ns, so that a verdict hangs on the text alone and not on
  // what else the machine does.
  std::int64_t product_steps = 50'000'000;   // of one automaton operation
  std::int64_t compile_steps = 300'000'000;  // of a whole compile
  // Of the processor, not of the wall: a net for work that is counted too low.
  std::chrono::milliseconds compile_time{5'000};
  std::size_t frontier_items = 2'000;
  std::int64_t steps_per_token = 50'000;

  // For texts of our own, which never fail.
  static Limits WithoutWork();
};

// The work that one compile may take. Cheap to ask. Made and used by one thread.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  const Limits& limits() const { return *limits_; }
  std::int64_t steps() const { return steps_; }  // spent so far
  // kTooLarge when the work is used up. `doing`: "intersecting patterns", for the sentence.
  Result<void, GrammarError> Spend(const char* doing, std::int64_t steps = kStepsPerCall) {
    steps_ += steps;
    if (steps_ < next_look_) return {};
    return Look(doing);
  }
  // The same, for who cannot stop here: the next Spend sees it.
  void Charge(std::int64_t steps) { steps_ += steps; }

 private:
  // A call stands for a rule, a state, a place of a schema: about a microsecond.
  static constexpr std::int64_t kStepsPerCall = 100;

  Result<void, GrammarError> Look(const char* doing);

  const Limits* limits_;
  std::int64_t steps_ = 0, next_look_ = 0;
  std::chrono::nanoseconds end_;  // of the thread's processor time
};

}  // namespace sglrun::grammar
