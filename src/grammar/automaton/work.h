// The bounds of one automaton operation (grammar.md 6): states and time. The loops of this folder
// ask it at every step, so that no input makes them run or grow without bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "grammar/limits.h"

namespace sglrun::grammar {

class Work {
 public:
  // `doing` starts the sentence of an error: "an intersection".
  Work(Budget& budget, const char* doing);

  // Both are false once a limit is passed; error() then says which. A step is about 10 ns of work.
  bool Step(std::size_t steps = 1) {
    steps_ += steps;
    return steps_ < kStepsPerLook || LookAtClock();
  }
  bool HasRoomFor(std::size_t states);
  // For the cells of a table and the members of its state sets: what memory is spent on.
  bool HasMemoryFor(std::size_t cells);

  const GrammarError& error() const { return error_; }

 private:
  static constexpr std::size_t kStepsPerLook = 4096;

  bool LookAtClock();

  Budget* budget_;
  const char* doing_;
  std::chrono::steady_clock::time_point end_;
  std::size_t steps_ = kStepsPerLook;  // the first step looks: many short operations are long too
  GrammarError error_;
};

}  // namespace sglrun::grammar
