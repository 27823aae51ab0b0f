#include "plain_number.h"

#include <algorithm>
#include <cstdlib>

namespace sglrun::grammar {
namespace {

std::string WithoutLeadingZeros(const std::string& digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

int CompareDigits(const std::string& a, const std::string& b) {
  const std::string left = WithoutLeadingZeros(a), right = WithoutLeadingZeros(b);
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return left == right ? 0 : left < right ? -1 : 1;
}

std::string Difference(std::string a, const std::string& b) {  // a >= b
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int minus = borrow + (i < b.size() ? b[b.size() - 1 - i] - '0' : 0);
    char& digit = a[a.size() - 1 - i];
    const int value = digit - '0' - minus;
    borrow = value < 0 ? 1 : 0;
    digit = static_cast<char>('0' + value + 10 * borrow);
  }
  return WithoutLeadingZeros(a);
}

// Both as integers of one unit.
void Align(PlainNumber& a, PlainNumber& b) {
  const long unit = std::min(a.exponent, b.exponent);
  for (PlainNumber* n : {&a, &b}) {
    n->digits.append(static_cast<std::size_t>(n->exponent - unit), '0');
    n->exponent = unit;
  }
}

}  // namespace

PlainNumber PlainNumber::Read(std::string_view json_number) {
  PlainNumber number;
  std::string text(json_number);
  if (text[0] == '-') {
    number.negative = true;
    text.erase(0, 1);
  }
  if (const std::size_t mark = text.find_first_of("eE"); mark != std::string::npos) {
    number.exponent = std::strtol(text.c_str() + mark + 1, nullptr, 10);
    text.resize(mark);
  }
  if (const std::size_t point = text.find('.'); point != std::string::npos) {
    number.exponent -= static_cast<long>(text.size() - point - 1);
    text.erase(point, 1);
  }
  number.digits = WithoutLeadingZeros(text);
  while (number.digits.size() > 1 && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits == "0") number = PlainNumber{};
  return number;
}

int PlainNumber::Compare(const PlainNumber& other) const {
  if (negative != other.negative) return negative ? -1 : 1;
  PlainNumber a = *this, b = other;
  Align(a, b);
  const int order = CompareDigits(a.digits, b.digits);
  return negative ? -order : order;
}

bool PlainNumber::IsMultipleOf(const PlainNumber& step) const {
  PlainNumber a = *this, b = step;
  Align(a, b);
  std::string rest = "0";
  for (const char digit : a.digits) {
    rest = WithoutLeadingZeros(rest + digit);
    while (CompareDigits(rest, b.digits) >= 0) rest = Difference(rest, b.digits);
  }
  return rest == "0";
}

bool PlainNumber::IsInteger() const {
  return exponent >= 0;
}

}  // namespace sglrun::grammar
