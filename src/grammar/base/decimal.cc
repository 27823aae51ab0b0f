#include "grammar/base/decimal.h"

#include <algorithm>
#include <utility>

namespace sglrun::grammar {
namespace {

constexpr std::int64_t kLargestExponent = 1'000'000'000;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view TakeDigits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool Take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

GrammarError NoNumber(std::string_view text) {
  return {Verdict::kInvalid, '"' + std::string(text.substr(0, 40)) + "\" is not a JSON number"};
}

// The value of exponent digits, past kLargestExponent at most by one.
std::int64_t CappedValue(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) value = std::min(value * 10 + (c - '0'), kLargestExponent + 1);
  return value;
}

}  // namespace

Decimal::Decimal(bool negative, std::string digits, std::int64_t exponent) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return;
  const std::size_t end = digits.find_last_not_of('0') + 1;
  exponent_ = exponent + static_cast<std::int64_t>(digits.size() - end);
  digits_ = digits.substr(first, end - first);
  negative_ = negative;
}

Decimal::Decimal(std::int64_t value)
    : Decimal(value < 0, std::to_string(value).substr(value < 0 ? 1 : 0), 0) {}

Result<Decimal, GrammarError> Decimal::Parse(std::string_view json_number) {
  std::string_view rest = json_number;
  const bool negative = Take(rest, "-");
  std::string digits(TakeDigits(rest));
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return NoNumber(json_number);
  std::int64_t exponent = 0;
  if (Take(rest, ".")) {
    const std::string_view fraction = TakeDigits(rest);
    if (fraction.empty()) return NoNumber(json_number);
    digits += fraction;
    exponent = -static_cast<std::int64_t>(fraction.size());
  }
  std::int64_t written = 0;
  if (Take(rest, "eE")) {
    const bool down = Take(rest, "-");
    if (!down) Take(rest, "+");
    const std::string_view value = TakeDigits(rest);
    if (value.empty()) return NoNumber(json_number);
    written = CappedValue(value) * (down ? -1 : 1);
  }
  if (!rest.empty()) return NoNumber(json_number);
  Decimal result(negative, std::move(digits), exponent + written);
  if (!result.is_zero() && std::max(written, -written) > kLargestExponent) {
    return GrammarError{Verdict::kTooLarge, "the number " + std::string(json_number.substr(0, 40)) +
                                                " has an exponent beyond " +
                                                std::to_string(kLargestExponent)};
  }
  return result;
}

std::int64_t Decimal::IntegerDigits() const {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(digits_.size()) + exponent_);
}

Decimal Decimal::Negated() const {
  Decimal result = *this;
  result.negative_ = !negative_ && !is_zero();
  return result;
}

std::optional<std::string> Decimal::Plain(std::size_t limit) const {
  if (is_zero()) return "0";
  const std::int64_t integer = IntegerDigits(), fraction = FractionDigits();
  if (integer + fraction > static_cast<std::int64_t>(limit)) return std::nullopt;
  std::string text = negative_ ? "-" : "";
  if (IsInteger()) return text + digits_ + std::string(static_cast<std::size_t>(exponent_), '0');
  const auto before = static_cast<std::size_t>(integer);
  text += integer == 0 ? "0" : digits_.substr(0, before);
  const std::string after = digits_.substr(before);
  return text + '.' + std::string(static_cast<std::size_t>(fraction) - after.size(), '0') + after;
}

std::string Decimal::Canonical() const {
  if (is_zero()) return "0";
  std::string text = (negative_ ? "-" : "") + digits_;
  if (exponent_ != 0) text += 'e' + std::to_string(exponent_);
  return text;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) {
    return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (a.is_zero() || b.is_zero()) return b.is_zero() <=> a.is_zero();
  const Decimal& near = a.negative_ ? b : a;  // so that magnitudes compare as values do
  const Decimal& far = a.negative_ ? a : b;
  const auto magnitude = [](const Decimal& d) {
    return static_cast<std::int64_t>(d.digits_.size()) + d.exponent_;
  };
  if (magnitude(near) != magnitude(far)) return magnitude(near) <=> magnitude(far);
  return near.digits_ <=> far.digits_;
}

}  // namespace sglrun::grammar
