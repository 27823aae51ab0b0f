// Texts of a regular language whose length in characters is within bounds: a counting automaton if
// that is small, else the automaton of the language with a counter.
#pragma once

#include <cstdint>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

struct LengthBounds {
  std::int64_t min = 0;
  std::int64_t max = kUnbounded;

  bool empty() const { return max != kUnbounded && max < min; }
  friend bool operator==(const LengthBounds&, const LengthBounds&) = default;
};
LengthBounds Conjoin(const LengthBounds& a, const LengthBounds& b);

enum class TextSpelling : std::uint8_t { kUtf8, kJsonString };

// The members of `chars`, minimal, within the bounds; Never when there are none.
ExprResult AppendCounted(FrontEnd& front, const Dfa& chars, const LengthBounds& bounds,
                         TextSpelling spelling);

// Whether `chars` has such a member. Above Limits::repetition it is taken to have one.
Result<bool, GrammarError> HasMemberWithin(const Dfa& chars, const LengthBounds& bounds,
                                           Budget& budget);

// The members of `chars` within the bounds as one automaton, for products.
DfaResult Bounded(Dfa chars, const LengthBounds& bounds, Budget& budget);

}  // namespace sglrun::grammar
