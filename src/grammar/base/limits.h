// Bounds of everything a constraint can make us do. Nothing a record holds makes the
// program hang or grow without bound: work is paid from a Budget, and an empty one is kTooLarge.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "grammar/base/grammar_error.h"

namespace sglrun::grammar {

struct Limits {
  std::size_t text_bytes = std::size_t{4} << 20;
  std::size_t regex_bytes = std::size_t{64} << 10;
  int nesting = 512;
  std::int64_t nodes = 1'000'000;           // of the intermediate representation
  std::int64_t automaton_states = 200'000;  // of one product
  std::int64_t repetition = 1'000'000;      // bound of a counted repetition
  std::int64_t expanded_states = 20'000;    // of a repetition that a product unrolls
  // Work is counted in steps of about 10 ns and never timed, so that a verdict depends on the text
  // alone and not on the machine.
  std::int64_t product_steps = 50'000'000;            // of one automaton operation
  std::int64_t compile_steps = 300'000'000;           // of a whole compile
  std::size_t program_bytes = std::size_t{64} << 20;  // of the compiled automata, masks apart
  std::size_t frontier_items = 2'000;
  std::int64_t steps_per_token = 50'000;
  // Steps for one text as a whole, including masks: a constant, plus a number for each token.
  std::int64_t steps_per_text = 100'000'000;
  std::int64_t more_steps_per_token = 20'000;
  // What one text keeps of the places that its rules return to.
  std::size_t matcher_bytes = std::size_t{16} << 20;
  bool obeys_stop = true;  // an unfinished compile ends once the process is asked to stop

  // For texts of our own, which never fail.
  static Limits WithoutWork();
};

// The work that one compilation may take. Checking it is cheap. Used by one thread only.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(&limits) {}

  const Limits& limits() const { return *limits_; }
  std::int64_t steps() const { return steps_; }  // spent so far
  // kTooLarge when the work is used up, kStopped when the process is asked to stop. `doing`:
  // "intersecting patterns", for the sentence.
  Result<void, GrammarError> Spend(const char* doing, std::int64_t steps = kStepsPerCall) {
    steps_ += steps;
    if (steps_ < next_look_) return {};
    return Look(doing);
  }
  // For callers that cannot stop here: the next Spend sees it.
  void Charge(std::int64_t steps) { steps_ += steps; }

 private:
  // A call stands for a rule, a state, a place of a schema: about a microsecond.
  static constexpr std::int64_t kStepsPerCall = 100;

  Result<void, GrammarError> Look(const char* doing);

  const Limits* limits_;
  std::int64_t steps_ = 0, next_look_ = 0;
};

}  // namespace sglrun::grammar
