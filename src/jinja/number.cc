#include "jinja/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "jinja/characters.h"

namespace sglrun::jinja {
namespace {

// printf and strtod of hundreds of digits.
constexpr std::size_t kStepsPerRounding = 30;
constexpr double kExactInt = 9007199254740992.0;  // 2^53

Fault DivisionFault(const char* message) {
  return {FaultKind::kZeroDivision, message};
}

Try<Value> CheckedBig(BigInt value) {
  if (value.bits() > kMaxBigIntBits) {
    return LimitFault("an integer has more than " + std::to_string(kMaxBigIntBits) + " bits");
  }
  return Value::Int(std::move(value));
}

// Python's: the remainder has the sign of b.
std::pair<double, double> FloatDivMod(double a, double b) {
  double mod = std::fmod(a, b);
  double div = (a - mod) / b;
  if (mod != 0.0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      div -= 1.0;
    }
  } else {
    mod = std::copysign(0.0, b);
  }
  if (div == 0.0) return {std::copysign(0.0, a / b), mod};
  double floor = std::floor(div);
  if (div - floor > 0.5) floor += 1.0;
  return {floor, mod};
}

Try<Value> FloatPower(double a, double b) {
  if (a == 0.0 && b < 0) return DivisionFault("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    return ValueFault("a negative number to a broken power is complex, which is not supported");
  }
  const double power = std::pow(a, b);
  if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) {
    return Fault{FaultKind::kOverflow, "(34, 'Numerical result out of range')"};
  }
  return Value::Float(power);
}

Try<Value> IntPower(const BigInt& base, const BigInt& exponent) {
  if (exponent.negative()) return FloatPower(base.ToDouble(), exponent.ToDouble());
  const auto times = exponent.ToInt64();
  const bool small = base.bits() <= 1;  // -1, 0, 1 stay small
  if (!small &&
      (!times || static_cast<std::uint64_t>(*times) * (base.bits() - 1) > kMaxBigIntBits)) {
    return LimitFault("an integer has more than " + std::to_string(kMaxBigIntBits) + " bits");
  }
  if (small) {
    if (exponent.zero()) return Value::Int(1);
    return Value::Int(base.negative() && !exponent.odd() ? -base : base);
  }
  BigInt result(1);
  BigInt square = base;
  for (std::int64_t left = *times; left > 0; left >>= 1) {
    if ((left & 1) != 0) result = result * square;
    if (left > 1) square = square * square;
  }
  return CheckedBig(std::move(result));
}

Try<Value> FloatArithmetic(const std::string& symbol, double a, double b) {
  if (symbol == "+") return Value::Float(a + b);
  if (symbol == "-") return Value::Float(a - b);
  if (symbol == "*") return Value::Float(a * b);
  if (symbol == "**") return FloatPower(a, b);
  if (symbol == "/") {
    if (b == 0.0) return DivisionFault("float division by zero");
    return Value::Float(a / b);
  }
  if (symbol == "//") {
    if (b == 0.0) return DivisionFault("float floor division by zero");
    return Value::Float(FloatDivMod(a, b).first);
  }
  if (b == 0.0) return DivisionFault("float modulo");
  return Value::Float(FloatDivMod(a, b).second);
}

Try<Value> BigArithmetic(const std::string& symbol, const BigInt& a, const BigInt& b) {
  if (symbol == "+") return CheckedBig(a + b);
  if (symbol == "-") return CheckedBig(a - b);
  if (symbol == "*") return CheckedBig(a * b);
  if (symbol == "**") return IntPower(a, b);
  if (b.zero()) {
    return DivisionFault(symbol == "/"    ? "division by zero"
                         : symbol == "//" ? "integer division or modulo by zero"
                                          : "integer modulo by zero");
  }
  if (symbol == "/") {
    const double quotient = a.ToDouble() / b.ToDouble();
    if (!std::isfinite(quotient)) {
      return Fault{FaultKind::kOverflow, "integer division result too large for a float"};
    }
    return Value::Float(quotient);
  }
  auto [quotient, remainder] = BigInt::DivMod(a, b);
  return Value::Int(symbol == "//" ? std::move(quotient) : std::move(remainder));
}

// The common case, without a heap. Missing when the result does not fit.
Value SmallArithmetic(const std::string& symbol, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (symbol == "+") return __builtin_add_overflow(a, b, &result) ? Value() : Value::Int(result);
  if (symbol == "-") return __builtin_sub_overflow(a, b, &result) ? Value() : Value::Int(result);
  if (symbol == "*") return __builtin_mul_overflow(a, b, &result) ? Value() : Value::Int(result);
  if (b == 0 || b == -1 || symbol == "/" || symbol == "**") return {};
  const std::int64_t remainder = a % b;
  const bool below = remainder != 0 && (remainder < 0) != (b < 0);
  if (symbol == "//") return Value::Int(a / b - (below ? 1 : 0));
  return Value::Int(below ? remainder + b : remainder);
}

std::string_view Strip(std::string_view text) {
  text.remove_prefix(LeadingSpace(text));
  text.remove_suffix(TrailingSpace(text));
  return text;
}

// Removes the underscores between digits; nothing if there are underscores elsewhere.
std::optional<std::string> WithoutUnderscores(std::string_view text) {
  Meter::Bytes(4 * text.size());
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const auto digit = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    if (i == 0 || !digit(i - 1) || !digit(i + 1)) return std::nullopt;
  }
  return out;
}

}  // namespace

int CompareNumbers(const Value& a, const Value& b) {
  if (a.is(Kind::kFloat) && b.is(Kind::kFloat)) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return 2;
    return a.number() < b.number() ? -1 : a.number() > b.number() ? 1 : 0;
  }
  if (b.is(Kind::kFloat)) {
    if (std::isnan(b.number())) return 2;
    if (std::isinf(b.number())) return b.number() > 0 ? -1 : 1;
    const int order = BigInt::Compare(ToBigInt(a), *BigInt::FromDouble(b.number()));
    if (order != 0) return order;
    const double fraction = b.number() - std::trunc(b.number());
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
  }
  if (a.is(Kind::kFloat)) {
    const int order = CompareNumbers(b, a);
    return order == 2 ? 2 : -order;
  }
  if (a.is(Kind::kBigInt) || b.is(Kind::kBigInt)) return BigInt::Compare(ToBigInt(a), ToBigInt(b));
  return a.int64() < b.int64() ? -1 : a.int64() > b.int64() ? 1 : 0;
}

std::optional<std::int64_t> WholeInt64(double value) {
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) return std::nullopt;
  if (value != std::trunc(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

BigInt ToBigInt(const Value& integer) {
  Meter::Bytes(integer.is(Kind::kBigInt) ? integer.big().bits() / 8 : 16);
  return integer.is(Kind::kBigInt) ? integer.big() : BigInt(integer.int64());
}

Try<double> ToDouble(const Value& number) {
  if (number.is(Kind::kFloat)) return number.number();
  if (!number.is(Kind::kBigInt)) return static_cast<double>(number.int64());
  const double value = number.big().ToDouble();
  if (std::isfinite(value)) return value;
  return Fault{FaultKind::kOverflow, "int too large to convert to float"};
}

Try<Value> Arithmetic(const std::string& symbol, const Value& a, const Value& b) {
  if (a.is(Kind::kFloat) || b.is(Kind::kFloat)) {
    SGLRUN_ASSIGN_OR_RETURN(const double x, ToDouble(a));
    SGLRUN_ASSIGN_OR_RETURN(const double y, ToDouble(b));
    return FloatArithmetic(symbol, x, y);
  }
  if (!a.is(Kind::kBigInt) && !b.is(Kind::kBigInt)) {
    const bool exact = std::fabs(static_cast<double>(a.int64())) <= kExactInt &&
                       std::fabs(static_cast<double>(b.int64())) <= kExactInt;
    if (symbol == "/" && exact && b.int64() != 0) {
      return Value::Float(static_cast<double>(a.int64()) / static_cast<double>(b.int64()));
    }
    Value small = SmallArithmetic(symbol, a.int64(), b.int64());
    if (!small.missing()) return small;
  }
  return BigArithmetic(symbol, ToBigInt(a), ToBigInt(b));
}

Value Negate(const Value& number) {
  if (number.is(Kind::kFloat)) return Value::Float(-number.number());
  return Value::Int(-ToBigInt(number));
}

Try<Value> Truncate(double value) {
  if (std::isnan(value)) return ValueFault("cannot convert float NaN to integer");
  if (std::isinf(value)) {
    return Fault{FaultKind::kOverflow, "cannot convert float infinity to integer"};
  }
  return Value::Int(*BigInt::FromDouble(value));
}

Try<Value> Round(const Value& number, std::int64_t digits) {
  if (number.is_integer()) {
    if (digits >= 0) return number.is(Kind::kBool) ? Value::Int(number.int64()) : number;
    if (digits < -400) return Value::Int(0);
    SGLRUN_ASSIGN_OR_RETURN(const Value unit_value, IntPower(BigInt(10), BigInt(-digits)));
    const BigInt unit = ToBigInt(unit_value);
    auto [quotient, remainder] = BigInt::DivMod(ToBigInt(number), unit);
    const int half = BigInt::Compare(remainder + remainder, unit);
    if (half > 0 || (half == 0 && quotient.odd())) quotient = quotient + BigInt(1);
    return Value::Int(quotient * unit);
  }
  const double value = number.number();
  if (!std::isfinite(value) || digits > 323) return number;
  if (digits < -308) return Value::Float(std::copysign(0.0, value));
  if (digits >= 0) {
    // printf rounds the exact binary value to nearest, ties to even, as Python does.
    Meter::Step(kStepsPerRounding);
    std::array<char, 700> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(digits), value);
    return Value::Float(std::strtod(buffer.data(), nullptr));
  }
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return Value::Float(std::nearbyint(value / unit) * unit);
}

std::optional<Value> ParseInt(std::string_view text, int base) {
  text = Strip(text);
  std::string sign;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    sign = text[0];
    text.remove_prefix(1);
  }
  if (text.empty() || text[0] == '+' || text[0] == '-') return std::nullopt;
  if (text.size() > 2 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    const int prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (prefix != 0 && (base == prefix || base == 0)) {
      text.remove_prefix(text[2] == '_' ? 3 : 2);
      base = prefix;
    }
  }
  if (base == 0) {
    if (text[0] == '0' && text.find_first_not_of("0_") != std::string_view::npos) {
      return std::nullopt;
    }
    base = 10;
  }
  const std::optional<std::string> digits = WithoutUnderscores(text);
  if (!digits) return std::nullopt;
  std::optional<BigInt> value = BigInt::Parse(sign + *digits, base);
  if (!value) return std::nullopt;
  return Value::Int(std::move(*value));
}

std::optional<double> ParseFloat(std::string_view text) {
  text = Strip(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::optional<std::string> digits = WithoutUnderscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  for (char& c : *digits) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  double value = 0;
  if (*digits == "inf" || *digits == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (*digits == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (digits->find_first_not_of("0123456789.e+-") != std::string::npos) return std::nullopt;
    const char* end = digits->data() + digits->size();
    const auto [stop, error] = std::from_chars(digits->data(), end, value);
    if (stop != end || error == std::errc::invalid_argument || (*digits)[0] == '-') {
      return std::nullopt;
    }
    // Out of range: Python gives infinity or zero.
    if (error == std::errc::result_out_of_range) value = std::strtod(digits->c_str(), nullptr);
  }
  return negative ? -value : value;
}

}  // namespace sglrun::jinja
