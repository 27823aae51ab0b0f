// Exact decimal numbers of any length, as JSON text writes them: bounds and steps of a schema never
// pass through a double. Nothing here expands an exponent: 1e999999999 costs as much as 1.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grammar/base/grammar_error.h"

namespace sglrun::grammar {

class Decimal {
 public:
  Decimal() = default;  // 0
  explicit Decimal(std::int64_t value);

  // The value of JSON number text ("-1.50e3"). kInvalid if it is not a number, kTooLarge if the
  // exponent exceeds a thousand million.
  static Result<Decimal, GrammarError> Parse(std::string_view json_number);

  // |value| = digits() * 10^exponent(); the digits neither begin nor end with 0, those of 0 are "".
  bool is_negative() const { return negative_; }  // -0 is 0
  bool is_zero() const { return digits_.empty(); }
  std::string_view digits() const { return digits_; }
  std::int64_t exponent() const { return exponent_; }

  bool IsInteger() const { return exponent_ >= 0; }
  // Digits the plain spelling needs on each side of the point (no leading zero before it).
  std::int64_t IntegerDigits() const;
  std::int64_t FractionDigits() const { return exponent_ < 0 ? -exponent_ : 0; }

  Decimal Negated() const;

  // Without an exponent: "-1500", "0.25". nullopt when that takes more than `limit` digits.
  std::optional<std::string> Plain(std::size_t limit) const;
  // Equal values, equal texts: "-15e2", "7".
  std::string Canonical() const;

  // By value: 1, 1.0 and 1e0 are equal.
  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  Decimal(bool negative, std::string digits, std::int64_t exponent);  // normalises

  bool negative_ = false;
  std::string digits_;
  std::int64_t exponent_ = 0;
};

}  // namespace sglrun::grammar
