#include <array>
#include <cmath>
#include <cstdio>

#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/number.h"
#include "jinja/operators.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

Try<Value> Abs(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("abs", {}, 0, std::move(args)));
  if (!input.is_number()) return TypeFault("bad operand type for abs(): '" + TypeName(input) + "'");
  if (input.is(Kind::kFloat)) return Value::Float(std::fabs(input.number()));
  const BigInt value = ToBigInt(input);
  return Value::Int(value.negative() ? -value : value);
}

// The result of float(); missing if Python raises TypeError or ValueError.
Try<Value> AsFloat(const Value& input) {
  if (input.is_undefined()) return input.undefined().ToFault();
  if (input.is_string()) {
    const std::optional<double> value = ParseFloat(input.text());
    return value ? Value::Float(*value) : Value();
  }
  if (!input.is_number()) return Value();
  SGLRUN_ASSIGN_OR_RETURN(const double value, ToDouble(input));
  return Value::Float(value);
}

Try<Value> Int(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_int", {"default", "base"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t base, IntArgument(bound[1], 10));
  const Value standard = bound[0].missing() ? Value::Int(0) : bound[0];
  if (input.is_undefined()) return input.undefined().ToFault();
  if (input.is_integer()) return input.is(Kind::kBool) ? Value::Int(input.int64()) : input;
  if (input.is(Kind::kFloat)) {
    Try<Value> whole = Truncate(input.number());
    if (!whole.ok() && whole.error().kind == FaultKind::kValue) return standard;
    return whole;
  }
  if (input.is_string() && (base == 0 || (base >= 2 && base <= 36))) {
    if (const auto whole = ParseInt(input.text(), static_cast<int>(base))) return *whole;
  }
  // "42.23" gives 42.
  SGLRUN_ASSIGN_OR_RETURN(const Value number, AsFloat(input));
  if (number.missing()) return standard;
  Try<Value> whole = Truncate(number.number());
  return whole.ok() ? *whole : standard;
}

Try<Value> Float(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_float", {"default"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const Value number, AsFloat(input));
  if (!number.missing()) return number;
  return bound[0].missing() ? Value::Float(0.0) : bound[0];
}

Try<Value> RoundFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_round", {"precision", "method"}, 0, std::move(args)));
  const std::string method = bound[1].missing()     ? "common"
                             : bound[1].is_string() ? bound[1].text()
                                                    : "";
  if (method != "common" && method != "ceil" && method != "floor") {
    return Fault{FaultKind::kRuntime, "method must be common, ceil or floor"};
  }
  if (method == "common") {
    if (!input.is_number()) {
      return TypeFault("type " + TypeName(input) + " doesn't define __round__ method");
    }
    if (bound[0].is(Kind::kNone)) {
      SGLRUN_ASSIGN_OR_RETURN(const Value whole, Round(input, 0));
      return whole.is(Kind::kFloat) ? Truncate(whole.number()) : whole;
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t digits, IntArgument(bound[0], 0));
    return Round(input, digits);
  }
  const Value digits = bound[0].missing() ? Value::Int(0) : bound[0];
  SGLRUN_ASSIGN_OR_RETURN(const Value unit, BinaryOperation("**", Value::Int(10), digits));
  SGLRUN_ASSIGN_OR_RETURN(const Value scaled, BinaryOperation("*", input, unit));
  if (!scaled.is_number()) return TypeFault("must be real number, not " + TypeName(scaled));
  Value whole = scaled;
  if (scaled.is(Kind::kFloat)) {
    const double value = scaled.number();
    SGLRUN_ASSIGN_OR_RETURN(whole,
                            Truncate(method == "ceil" ? std::ceil(value) : std::floor(value)));
  }
  return BinaryOperation("/", whole, unit);
}

Try<Value> FileSize(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_filesizeformat", {"binary"}, 0, std::move(args)));
  const bool binary = !bound[0].missing() && Truth(bound[0]);
  SGLRUN_ASSIGN_OR_RETURN(const Value number, AsFloat(input));
  if (number.missing()) return ValueFault("could not convert to float");
  const double bytes = number.number();
  const double base = binary ? 1024 : 1000;
  if (bytes == 1) return Value::Str("1 Byte");
  if (bytes < base) {
    SGLRUN_ASSIGN_OR_RETURN(const Value whole, Truncate(bytes));
    return Value::Str(IntText(whole) + " Bytes");
  }
  static constexpr std::string_view kPrefixes = "kMGTPEZY";
  double unit = base;
  std::size_t prefix = 0;
  for (; prefix < kPrefixes.size(); ++prefix) {
    unit *= base;
    if (bytes < unit || prefix + 1 == kPrefixes.size()) break;
  }
  std::array<char, 400> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.1f ", base * bytes / unit);
  const char letter = binary && kPrefixes[prefix] == 'k' ? 'K' : kPrefixes[prefix];
  return Value::Str(buffer.data() + std::string(1, letter) + (binary ? "iB" : "B"));
}

constexpr std::array kNumberEntries = {
    FilterEntry{"abs", Abs}, FilterEntry{"filesizeformat", FileSize}, FilterEntry{"float", Float},
    FilterEntry{"int", Int}, FilterEntry{"round", RoundFilter},
};

}  // namespace

const std::span<const FilterEntry> kNumberFilters = kNumberEntries;

}  // namespace sglrun::jinja
