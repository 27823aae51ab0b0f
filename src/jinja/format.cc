#include "jinja/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/number.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

constexpr std::int64_t kMaxPrecision = 400;
// Hundreds of digits take printf a few microseconds.
constexpr std::size_t kStepsPerFloat = 30;

bool IsAlign(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

// Reads digits; -1 when there are none.
std::int64_t ReadNumber(std::string_view text, std::size_t& at) {
  std::int64_t value = -1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = (value < 0 ? 0 : value) * 10 + (text[at] - '0');
    Meter::NeedText(static_cast<std::size_t>(value));
  }
  return value;
}

std::string PrintDouble(const char* format, std::int64_t precision, double value) {
  Meter::Step(kStepsPerFloat);
  std::array<char, 1024> buffer;
  const int length =
      std::snprintf(buffer.data(), buffer.size(), format, static_cast<int>(precision), value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string Group(const std::string& digits, char separator, std::size_t step) {
  if (separator == 0) return digits;
  const std::size_t point = digits.find_first_of(".eE%");
  const std::size_t whole = std::min(point, digits.size());
  std::string grouped;
  for (std::size_t at = 0; at < whole; ++at) {
    if (at > 0 && (whole - at) % step == 0) grouped += separator;
    grouped += digits[at];
  }
  return grouped + digits.substr(whole);
}

Try<std::string> FormatFloatDigits(double value, const FormatSpec& spec) {
  if (spec.precision > kMaxPrecision)
    return LimitFault("a number has more than " + std::to_string(kMaxPrecision) + " digits");
  const char type = spec.type;
  const bool upper = type == 'E' || type == 'F' || type == 'G';
  if (!std::isfinite(value)) {
    std::string word = std::isnan(value) ? "nan" : "inf";
    if (upper) {
      for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return word + (type == '%' ? "%" : "");
  }
  const std::int64_t precision = spec.precision < 0 ? 6 : spec.precision;
  const bool alternate = spec.alternate;
  switch (type) {
    case 'e':
      return PrintDouble(alternate ? "%#.*e" : "%.*e", precision, value);
    case 'E':
      return PrintDouble(alternate ? "%#.*E" : "%.*E", precision, value);
    case 'f':
    case 'F':
      return PrintDouble(alternate ? "%#.*f" : "%.*f", precision, value);
    case 'g':
    case 'n':
      return PrintDouble(alternate ? "%#.*g" : "%.*g", precision, value);
    case 'G':
      return PrintDouble(alternate ? "%#.*G" : "%.*G", precision, value);
    case '%':
      return PrintDouble("%.*f", precision, value * 100.0) + "%";
    default:
      break;
  }
  if (spec.precision < 0) return FloatRepr(value);
  // Without a type: like 'g', but with at least one digit after the point.
  std::string text = PrintDouble("%.*g", precision == 0 ? 1 : precision, value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Try<std::string> FormatIntDigits(const Value& number, const FormatSpec& spec) {
  const Value positive = CompareNumbers(number, Value::Int(0)) < 0 ? Negate(number) : number;
  switch (spec.type) {
    case 'b':
      return (spec.alternate ? "0b" : "") + Group(IntText(positive, 2), spec.grouping, 4);
    case 'o':
      return (spec.alternate ? "0o" : "") + Group(IntText(positive, 8), spec.grouping, 4);
    case 'x':
    case 'X': {
      std::string digits = IntText(positive, 16);
      if (spec.type == 'X') {
        for (char& c : digits) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      }
      return (spec.alternate ? std::string("0") + spec.type : "") + Group(digits, spec.grouping, 4);
    }
    default:
      return Group(IntText(positive), spec.grouping, 3);
  }
}

Fault UnknownCode(const FormatSpec& spec, const Value& value) {
  return ValueFault("Unknown format code '" + std::string(1, spec.type) + "' for object of type '" +
                    TypeName(value) + "'");
}

Try<void> AppendNumber(TextBuilder& out, const Value& number, const FormatSpec& spec) {
  if (spec.type == 'c') {
    if (!number.is_integer()) return UnknownCode(spec, number);
    const std::int64_t code = number.is(Kind::kBigInt) ? -1 : number.int64();
    if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      return Fault{FaultKind::kOverflow, "%c arg not in range(0x110000)"};
    }
    std::string text;
    AppendUtf8(text, static_cast<char32_t>(code));
    AppendPadded(out, String(text), spec, '<');
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, FormatNumber(number, spec));
  std::size_t digits =
      !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ') ? 1 : 0;
  if (spec.alternate && text.size() > digits + 1 && text[digits] == '0' &&
      std::isalpha(static_cast<unsigned char>(text[digits + 1])) != 0) {
    digits += 2;
  }
  AppendPadded(out, String(text), spec, '>', digits);
  return {};
}

}  // namespace

Try<FormatSpec> ParseFormatSpec(std::string_view text, const Value& value) {
  FormatSpec spec;
  std::size_t at = 0;
  std::size_t next = 0;
  if (!text.empty()) NextCharacter(text, next);
  if (next < text.size() && next > 0 && IsAlign(text[next])) {
    spec.fill = text.substr(0, next);
    spec.align = text[next];
    at = next + 1;
  } else if (!text.empty() && IsAlign(text[0])) {
    spec.align = text[0];
    at = 1;
  }
  const auto take = [&](std::string_view wanted) {
    const bool found = at < text.size() && wanted.find(text[at]) != std::string_view::npos;
    return found ? text[at++] : char{0};
  };
  if (const char sign = take("+- ")) spec.sign = sign;
  spec.negative_zero = take("z") != 0;
  spec.alternate = take("#") != 0;
  if (take("0") != 0 && spec.align == 0) {
    spec.fill = "0";
    spec.align = value.is_number() ? '=' : '<';
  }
  const std::int64_t width = ReadNumber(text, at);
  spec.width = width < 0 ? 0 : width;
  spec.grouping = take(",_");
  if (take(".") != 0) {
    spec.precision = ReadNumber(text, at);
    if (spec.precision < 0) return ValueFault("Format specifier missing precision");
  }
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) {
    return ValueFault("Invalid format specifier '" + std::string(text) + "' for object of type '" +
                      TypeName(value) + "'");
  }
  return spec;
}

Try<std::string> FormatNumber(const Value& number, const FormatSpec& spec) {
  const bool as_float =
      number.is(Kind::kFloat) ||
      (spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos);
  std::string digits;
  bool negative = false;
  if (as_float) {
    if (spec.type != 0 && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos) {
      return UnknownCode(spec, number);
    }
    SGLRUN_ASSIGN_OR_RETURN(const double value, ToDouble(number));
    negative = std::signbit(value) && !std::isnan(value);
    SGLRUN_ASSIGN_OR_RETURN(digits, FormatFloatDigits(std::fabs(value), spec));
    digits = Group(digits, spec.grouping, 3);
  } else {
    if (spec.type != 0 && std::string_view("bdoxXn").find(spec.type) == std::string_view::npos) {
      return UnknownCode(spec, number);
    }
    if (spec.precision >= 0) return ValueFault("Precision not allowed in integer format specifier");
    negative = CompareNumbers(number, Value::Int(0)) < 0;
    SGLRUN_ASSIGN_OR_RETURN(digits, FormatIntDigits(number, spec));
  }
  if (negative) return "-" + digits;
  return spec.sign == '-' ? digits : spec.sign + digits;
}

void AppendPadded(TextBuilder& out, const String& text, const FormatSpec& spec, char standard_align,
                  std::size_t digits_at) {
  const auto length = static_cast<std::int64_t>(text.length);
  const std::int64_t missing = spec.width > length ? spec.width - length : 0;
  const char align = spec.align != 0 ? spec.align : standard_align;
  const std::int64_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  if (align == '=') {
    out.Append(text, 0, digits_at);
    out.Fill(spec.fill, missing);
    out.Append(text, digits_at, text.text.size());
    return;
  }
  out.Fill(spec.fill, left);
  out.Append(text);
  out.Fill(spec.fill, missing - left);
}

Try<void> AppendFormatted(TextBuilder& out, const Value& value, std::string_view text) {
  if (text.empty()) {
    AppendStr(out, value);
    return {};
  }
  if (value.is(Kind::kBool) && text.find_first_of("bcdoxXneEfFgG%") == std::string_view::npos) {
    // Only a bare width: Python prints the integer.
    SGLRUN_ASSIGN_OR_RETURN(const FormatSpec spec, ParseFormatSpec(text, value));
    return AppendNumber(out, Value::Int(value.int64()), spec);
  }
  SGLRUN_ASSIGN_OR_RETURN(const FormatSpec spec, ParseFormatSpec(text, value));
  if (value.is_number()) return AppendNumber(out, value, spec);
  if (!value.is_string()) {
    return TypeFault("unsupported format string passed to " + TypeName(value) + ".__format__");
  }
  if (spec.type != 0 && spec.type != 's') return UnknownCode(spec, value);
  if (spec.align == '=') return ValueFault("'=' alignment not allowed in string format specifier");
  const String& whole = value.str();
  if (spec.precision >= 0 && static_cast<std::size_t>(spec.precision) < whole.length) {
    const Value cut = Part(whole, 0, whole.ByteOffset(static_cast<std::size_t>(spec.precision)));
    AppendPadded(out, cut.str(), spec, '<');
  } else {
    AppendPadded(out, whole, spec, '<');
  }
  return {};
}

}  // namespace sglrun::jinja
