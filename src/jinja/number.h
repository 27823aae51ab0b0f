// Python's arithmetic: integers of any length, floats, and mixed operations.
#pragma once

#include <cstdint>
#include <optional>

#include "jinja/big_int.h"
#include "jinja/value.h"

namespace sglrun::jinja {

// -1, 0, 1; 2 when one of them is NaN. Exact, also between long integers and floats.
int CompareNumbers(const Value& a, const Value& b);
std::optional<std::int64_t> WholeInt64(double value);  // a whole number inside int64

BigInt ToBigInt(const Value& integer);
Try<double> ToDouble(const Value& number);

// a and b are numbers; `symbol` is one of + - * / // % **.
Try<Value> Arithmetic(const std::string& symbol, const Value& a, const Value& b);
Value Negate(const Value& number);

// Python's round(): half to even, based on the exact decimal value of the float.
Try<Value> Round(const Value& number, std::int64_t digits);
// int() and float() of a text, with the blanks and underscores Python allows.
std::optional<Value> ParseInt(std::string_view text, int base);
std::optional<double> ParseFloat(std::string_view text);
// The whole part of a float.
Try<Value> Truncate(double value);

}  // namespace sglrun::jinja
