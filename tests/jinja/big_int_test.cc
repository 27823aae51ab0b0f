#include "jinja/big_int.h"

#include <doctest/doctest.h>

#include <cmath>

namespace sglrun::jinja {
namespace {

BigInt Big(std::string_view digits) {
  return *BigInt::Parse(digits, 10);
}

TEST_CASE("long integers keep every digit") {
  const std::string digits = "-123456789012345678901234567890123456789";
  CHECK(Big(digits).ToString() == digits);
  CHECK(BigInt(INT64_MIN).ToString() == "-9223372036854775808");
  CHECK(*Big("-9223372036854775808").ToInt64() == INT64_MIN);
  CHECK(!Big("9223372036854775808").ToInt64());
  CHECK(!BigInt::Parse("12a", 10));
  CHECK(BigInt::Parse("ff", 16)->ToString() == "255");
}

TEST_CASE("division rounds down and the remainder has the divisor's sign") {
  for (const int a : {-7, -6, 0, 6, 7}) {
    for (const int b : {-3, 3}) {
      const BigInt scale = Big("1000000000000000000000000000000");
      const auto [quotient, remainder] = BigInt::DivMod(BigInt(a) * scale, BigInt(b) * scale);
      CHECK(quotient.ToString() ==
            std::to_string(static_cast<int>(std::floor(a / static_cast<double>(b)))));
      const BigInt back = quotient * (BigInt(b) * scale) + remainder;
      CHECK(BigInt::Compare(back, BigInt(a) * scale) == 0);
      CHECK((remainder.zero() || remainder.negative() == (b < 0)));
    }
  }
}

TEST_CASE("conversions to and from double are exact or nearest") {
  CHECK(BigInt::FromDouble(1e22)->ToString() == "10000000000000000000000");
  CHECK(BigInt::FromDouble(-2.9)->ToString() == "-2");
  CHECK(!BigInt::FromDouble(INFINITY));
  CHECK(Big("10000000000000000000000").ToDouble() == 1e22);
  CHECK(Big("9007199254740993").ToDouble() == 9007199254740992.0);
}

}  // namespace
}  // namespace sglrun::jinja
