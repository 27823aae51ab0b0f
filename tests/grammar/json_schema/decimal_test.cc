#include "grammar/base/decimal.h"

#include <doctest/doctest.h>

#include <limits>

namespace sglrun::grammar {
namespace {

Decimal Read(std::string_view text) {
  const Result<Decimal, GrammarError> decimal = Decimal::Parse(text);
  CAPTURE(std::string(text));
  REQUIRE(decimal.ok());
  return *decimal;
}

TEST_CASE("spellings of one value are equal decimals") {
  for (const char* one : {"1", "1.0", "1e0", "10e-1", "0.1E1", "0.0001e+4", "1.000"}) {
    CAPTURE(one);
    CHECK_EQ(Read(one), Decimal(1));
    CHECK_EQ(Read(one).Canonical(), "1");
  }
  for (const char* zero : {"0", "-0", "0.0", "-0.00", "0e9", "0e99999999999999999999"}) {
    CAPTURE(zero);
    CHECK(Read(zero).is_zero());
    CHECK_FALSE(Read(zero).is_negative());
    CHECK_EQ(Read(zero), Decimal());
  }
  CHECK_EQ(Read("-9223372036854775808"), Decimal(std::numeric_limits<std::int64_t>::min()));
  CHECK_EQ(Read("-1.50e3").Canonical(), "-15e2");
}

TEST_CASE("decimals are ordered by value, whatever their length") {
  const std::string nines(300, '9');
  const char* const ascending[] = {
      "-1e400",  "-12.5", "-12.49", "-0.5",  "-0.05",
      "-1e-400", "0",     "1e-400", "0.001", "0.0010000000000000000000000000001",
      "0.01",    "1",     "9.99",   "10",    "10.01",
      "99",      "100",   "1e400"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      CAPTURE(ascending[i]);
      CAPTURE(ascending[j]);
      CHECK_EQ(Read(ascending[i]) < Read(ascending[j]), i < j);
      CHECK_EQ(Read(ascending[i]) == Read(ascending[j]), i == j);
    }
  }
  CHECK(Read(nines) < Read("1e300"));
  CHECK(Read(nines + ".5") > Read(nines));
}

TEST_CASE("a decimal is written plainly within a limit of digits") {
  for (const char* plain : {"0", "7", "-7", "1500", "0.25", "-0.001", "12.5", "100000"}) {
    CAPTURE(plain);
    CHECK_EQ(Read(plain).Plain(10), std::string(plain));
  }
  CHECK_EQ(Read("1.5e3").Plain(4), std::string("1500"));
  CHECK_EQ(Read("25e-3").Plain(3), std::string("0.025"));
  CHECK_EQ(Read("1.5e3").Plain(3), std::nullopt);
  CHECK_EQ(Read("1e999999999").Plain(1000), std::nullopt);
  CHECK_EQ(Read("1e-999999999").Plain(1000), std::nullopt);
}

TEST_CASE("a decimal knows its digits and whether it is an integer") {
  CHECK(Read("1.0").IsInteger());
  CHECK(Read("1e3").IsInteger());
  CHECK(Read("0").IsInteger());
  CHECK_FALSE(Read("1.5").IsInteger());
  CHECK_FALSE(Read("15e-1").IsInteger());
  CHECK_EQ(Read("1500").IntegerDigits(), 4);
  CHECK_EQ(Read("0.05").IntegerDigits(), 0);
  CHECK_EQ(Read("0.05").FractionDigits(), 2);
  CHECK_EQ(Read("-2.5").Negated(), Read("2.5"));
}

TEST_CASE("text that is not a number is invalid, a huge exponent is too large") {
  for (const char* bad : {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "1x", "1 ", " 1", "NaN",
                          "1.5.5", "--1", "0x1"}) {
    CAPTURE(bad);
    REQUIRE_FALSE(Decimal::Parse(bad).ok());
    CHECK_EQ(Decimal::Parse(bad).error().verdict, Verdict::kInvalid);
  }
  for (const char* large : {"1e1000000001", "1e-9999999999", "-1e99999999999999999999999999"}) {
    CAPTURE(large);
    REQUIRE_FALSE(Decimal::Parse(large).ok());
    CHECK_EQ(Decimal::Parse(large).error().verdict, Verdict::kTooLarge);
  }
}

}  // namespace
}  // namespace sglrun::grammar
