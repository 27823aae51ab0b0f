// The bounds of one automaton operation: states and steps. The loops of this folder check it at
// every step, so that no input makes them run or grow without bound.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grammar/base/limits.h"

namespace sglrun::grammar {

class Work {
 public:
  // `doing` starts the sentence of an error: "an intersection".
  Work(Budget& budget, const char* doing);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Both are false once a limit is passed; error() then says which. A step is about 10 ns of work.
  bool Step(std::size_t steps = 1) {
    steps_ += static_cast<std::int64_t>(steps);
    return steps_ < next_look_ || Look();
  }
  bool HasRoomFor(std::size_t states);
  // For the cells of a table and the members of its state sets: what memory is spent on.
  bool HasMemoryFor(std::size_t cells);

  const GrammarError& error() const { return error_; }

 private:
  static constexpr std::int64_t kStepsPerLook = 4096;

  bool Look();

  Budget* budget_;
  const char* doing_;
  std::int64_t steps_ = 0, charged_ = 0;  // the budget knows of the latter
  std::int64_t next_look_ = 0;  // the first step looks: many short operations are long too
  GrammarError error_;
};

}  // namespace sglrun::grammar
