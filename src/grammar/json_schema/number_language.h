// JSON numbers under constraints as an automaton over bytes (grammar.md 3.4).
//
// Without any constraint a number may have an exponent. With one it is written plainly
// (-?(0|[1-9]d*)(.d+)?), an integer as 0|-?[1-9]d*: spellings such as 1e2 and, for an integer, 1.0
// are given up. Values are not: a constraint holds for every spelling of a value, and a set of
// values that is not empty has a spelling. Runs of digits are capped at 64 on either side of the
// point (more where a constraint itself is longer), 4 in an exponent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "grammar/json_schema/decimal.h"

namespace sglrun::grammar {

// The number of multipleOf, coefficient * 10^exponent.
struct Step {
  std::uint32_t coefficient = 1;  // 1..100,000, not divisible by 10
  std::int64_t exponent = 0;

  // kInvalid when the value is not above 0, kTooLarge when the coefficient is.
  static Result<Step, GrammarError> From(const Decimal& value);
  bool Divides(const Decimal& value) const;

  friend bool operator==(const Step&, const Step&) = default;
};

struct NumberBound {
  Decimal value;
  bool exclusive = false;

  friend bool operator==(const NumberBound&, const NumberBound&) = default;
};

// All that a location says about numbers, in conjunction. The second half is what `not` leaves.
struct NumberConstraints {
  bool integer = false;
  std::optional<NumberBound> min, max;
  std::vector<Step> multiple_of;

  bool not_integer = false;
  std::vector<Step> not_multiple_of;
  std::vector<Decimal> excluded;  // by value

  friend bool operator==(const NumberConstraints&, const NumberConstraints&) = default;
};

// The tighter bound of each side; the rest side by side.
NumberConstraints Conjoin(const NumberConstraints& a, const NumberConstraints& b);
// The numbers that do not satisfy `constraints`, as a union. Exact; `excluded` values come back as
// ranges of one value.
std::vector<NumberConstraints> Negate(const NumberConstraints& constraints);

bool Satisfies(const Decimal& value, const NumberConstraints& constraints);

// Over bytes, minimal. Empty exactly when no number satisfies the constraints, spelled or not, so
// IsEmpty proves that two conjoined sets are disjoint. kTooLarge: a step whose coefficient (of all
// steps together) passes 100,000, bounds of more than 1,000 digits, too many states.
DfaResult NumberLanguage(const NumberConstraints& constraints, Budget& budget);

}  // namespace sglrun::grammar
