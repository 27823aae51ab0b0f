#include "grammar/json_schema/number_constraints.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace sglrun::grammar {
namespace {

std::uint64_t PowerOfTen(std::int64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus, base = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}

// A step as odd * 2^twos * 5^fives, `odd` coprime to 10.
struct Factors {
  std::uint64_t odd = 1;
  std::int64_t twos = 0, fives = 0;
};

Factors Factorize(const Step& step) {
  Factors f{step.coefficient, step.exponent, step.exponent};
  for (; f.odd % 2 == 0; f.odd /= 2) ++f.twos;
  for (; f.odd % 5 == 0; f.odd /= 5) ++f.fives;
  return f;
}

GrammarError TooLarge(const std::string& what) {
  return {Verdict::kTooLarge, what + " needs a remainder above " +
                                  std::to_string(Step::kLargestCoefficient) +
                                  "; use a step with fewer digits"};
}

// The tighter of two lower bounds (sign 1) or upper bounds (sign -1).
std::optional<NumberBound> Tighter(const std::optional<NumberBound>& a,
                                   const std::optional<NumberBound>& b, int sign) {
  if (!a || !b) return a ? a : b;
  if (a->value == b->value) return NumberBound{a->value, a->exclusive || b->exclusive};
  return (a->value > b->value) == (sign > 0) ? a : b;
}

void AddMissing(std::vector<Step>& to, const std::vector<Step>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

}  // namespace

Result<Step, GrammarError> Step::From(const Decimal& value) {
  if (value.is_zero() || value.is_negative()) {
    return GrammarError{Verdict::kInvalid,
                        "multipleOf is " + value.Canonical() + ", must be greater than 0"};
  }
  std::uint32_t coefficient = 0;
  for (const char c : value.digits()) {
    coefficient = coefficient * 10 + static_cast<std::uint32_t>(c - '0');
    if (coefficient > kLargestCoefficient) return TooLarge("multipleOf " + value.Canonical());
  }
  return Step{coefficient, value.exponent()};
}

bool Step::Divides(const Decimal& value) const {
  if (value.is_zero()) return true;
  // Its digits do not end with 0, so a larger power of ten can never divide them.
  if (value.exponent() < exponent) return false;
  std::uint64_t remainder = 0;
  for (const char c : value.digits()) {
    remainder = (remainder * 10 + static_cast<std::uint64_t>(c - '0')) % coefficient;
  }
  return remainder * PowerOfTen(value.exponent() - exponent, coefficient) % coefficient == 0;
}

Result<Step, GrammarError> LeastCommonMultiple(std::span<const Step> steps) {
  Factors all = Factorize(steps.front());
  for (const Step& step : steps.subspan(1)) {
    const Factors f = Factorize(step);
    all.odd = std::lcm(all.odd, f.odd);
    all.twos = std::max(all.twos, f.twos);
    all.fives = std::max(all.fives, f.fives);
    if (all.odd > Step::kLargestCoefficient) return TooLarge("the common multiple of multipleOf");
  }
  const std::int64_t exponent = std::min(all.twos, all.fives);
  std::uint64_t coefficient = all.odd;
  const auto multiply = [&](std::uint64_t prime, std::int64_t times) {
    for (; times > 0 && coefficient <= Step::kLargestCoefficient; --times) coefficient *= prime;
  };
  multiply(2, all.twos - exponent);
  multiply(5, all.fives - exponent);
  if (coefficient > Step::kLargestCoefficient) return TooLarge("the common multiple of multipleOf");
  return Step{static_cast<std::uint32_t>(coefficient), exponent};
}

NumberConstraints Conjoin(const NumberConstraints& a, const NumberConstraints& b) {
  NumberConstraints both = a;
  both.integer = a.integer || b.integer;
  both.min = Tighter(a.min, b.min, 1);
  both.max = Tighter(a.max, b.max, -1);
  both.not_integer = a.not_integer || b.not_integer;
  AddMissing(both.multiple_of, b.multiple_of);
  AddMissing(both.not_multiple_of, b.not_multiple_of);
  both.excluded.insert(b.excluded.begin(), b.excluded.end());
  return both;
}

std::vector<NumberConstraints> Negate(const NumberConstraints& constraints) {
  std::vector<NumberConstraints> parts;
  const auto part = [&]() -> NumberConstraints& { return parts.emplace_back(); };
  if (constraints.integer) part().not_integer = true;
  if (const auto& min = constraints.min) part().max = NumberBound{min->value, !min->exclusive};
  if (const auto& max = constraints.max) part().min = NumberBound{max->value, !max->exclusive};
  for (const Step& step : constraints.multiple_of) part().not_multiple_of = {step};
  if (constraints.not_integer) part().integer = true;
  for (const Step& step : constraints.not_multiple_of) part().multiple_of = {step};
  for (const Decimal& value : constraints.excluded) {
    NumberConstraints& one = part();
    one.min = one.max = NumberBound{value, false};
  }
  return parts;
}

bool Satisfies(const Decimal& value, const NumberConstraints& constraints) {
  const NumberConstraints& c = constraints;
  if (c.min && (value < c.min->value || (c.min->exclusive && value == c.min->value))) return false;
  if (c.max && (value > c.max->value || (c.max->exclusive && value == c.max->value))) return false;
  if (value.IsInteger() ? c.not_integer : c.integer) return false;
  const auto divides = [&](const Step& step) { return step.Divides(value); };
  return std::all_of(c.multiple_of.begin(), c.multiple_of.end(), divides) &&
         std::none_of(c.not_multiple_of.begin(), c.not_multiple_of.end(), divides) &&
         !c.excluded.contains(value);
}

}  // namespace sglrun::grammar
