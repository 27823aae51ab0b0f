// What a schema says about numbers, as values: 1, 1.0 and 1e0 are one. number_language.h spells it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "grammar/base/decimal.h"

namespace sglrun::grammar {

// The number of multipleOf, coefficient * 10^exponent.
struct Step {
  std::uint32_t coefficient = 1;  // 1..kLargestCoefficient, not divisible by 10
  std::int64_t exponent = 0;

  static constexpr std::uint32_t kLargestCoefficient = 100'000;

  // kInvalid when the value is not above 0, kTooLarge when the coefficient is.
  static Result<Step, GrammarError> From(const Decimal& value);
  bool Divides(const Decimal& value) const;

  friend auto operator<=>(const Step&, const Step&) = default;
};

// The step that divides exactly the common multiples of all. kTooLarge as above.
Result<Step, GrammarError> LeastCommonMultiple(std::span<const Step> steps);

struct NumberBound {
  Decimal value;
  bool exclusive = false;

  friend bool operator==(const NumberBound&, const NumberBound&) = default;
};

// All that a location says about numbers, in conjunction. The second half is what `not` leaves.
struct NumberConstraints {
  bool integer = false;
  std::optional<NumberBound> min = {}, max = {};
  std::vector<Step> multiple_of = {};

  bool not_integer = false;
  std::vector<Step> not_multiple_of = {};
  std::set<Decimal> excluded = {};

  friend bool operator==(const NumberConstraints&, const NumberConstraints&) = default;
};

// The tighter bound of each side; the rest side by side.
NumberConstraints Conjoin(const NumberConstraints& a, const NumberConstraints& b);
// The numbers that do not satisfy `constraints`, as a union (of nothing when all do). Exact; an
// excluded value comes back as a range of one.
std::vector<NumberConstraints> Negate(const NumberConstraints& constraints);

bool Satisfies(const Decimal& value, const NumberConstraints& constraints);

}  // namespace sglrun::grammar
