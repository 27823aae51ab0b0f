// JSON numbers compared digit by digit, for the validator of the tests.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::grammar {

// An integer of any size times a power of ten. Exponents are expanded: for texts of sane size only.
struct PlainNumber {
  bool negative = false;
  std::string digits = "0";
  long exponent = 0;

  static PlainNumber Read(std::string_view json_number);

  int Compare(const PlainNumber& other) const;  // -1, 0, 1
  bool IsMultipleOf(const PlainNumber& step) const;
  bool IsInteger() const;
};

}  // namespace sglrun::grammar
