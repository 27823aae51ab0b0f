#include "grammar/json_schema/number_constraints.h"

#include <doctest/doctest.h>

#include "leaf_helpers.h"

namespace sglrun::grammar {
namespace {

Step ReadStep(std::string_view text) {
  return Step::From(ReadDecimal(text)).value();
}

TEST_CASE("a step divides by value") {
  struct Case {
    const char *step, *value;
    bool divides;
  };
  for (const Case& c : {Case{"3", "9", true},
                        {"3", "10", false},
                        {"3", "-9.0", true},
                        {"0.01", "4.35", true},
                        {"0.01", "4.351", false},
                        {"0.01", "1e300", true},
                        {"0.1", "0", true},
                        {"2.5", "7.5", true},
                        {"2.5", "7", false},
                        {"1e6", "3000000", true},
                        {"1e6", "3500000", false},
                        {"1200", "2400", true},
                        {"1200", "1800", false},
                        {"7e-8", "21e-8", true},
                        {"7e-8", "1", false},
                        {"7e-8", "7e999", true},
                        {"99999", "199998", true}}) {
    CAPTURE(c.step);
    CAPTURE(c.value);
    CHECK_EQ(ReadStep(c.step).Divides(ReadDecimal(c.value)), c.divides);
  }
}

TEST_CASE("multipleOf must be above zero and its coefficient bounded") {
  CHECK_EQ(Step::From(ReadDecimal("0")).error().verdict, Verdict::kInvalid);
  CHECK_EQ(Step::From(ReadDecimal("-2")).error().verdict, Verdict::kInvalid);
  CHECK_EQ(Step::From(ReadDecimal("100001")).error().verdict, Verdict::kTooLarge);
  CHECK_EQ(Step::From(ReadDecimal("0.123456789")).error().verdict, Verdict::kTooLarge);
  CHECK(Step::From(ReadDecimal("100000")).ok());
  CHECK(Step::From(ReadDecimal("1e90")).ok());
  CHECK(Step::From(ReadDecimal("99999e-9")).ok());
}

TEST_CASE("common multiples of decimal steps are exact") {
  const auto lcm = [](std::initializer_list<const char*> texts) {
    std::vector<Step> steps;
    for (const char* text : texts) steps.push_back(ReadStep(text));
    return LeastCommonMultiple(steps);
  };
  CHECK_EQ(*lcm({"4", "6"}), ReadStep("12"));
  CHECK_EQ(*lcm({"0.5", "1"}), ReadStep("1"));
  CHECK_EQ(*lcm({"0.4", "0.6"}), ReadStep("1.2"));
  CHECK_EQ(*lcm({"2.5", "10"}), ReadStep("10"));
  CHECK_EQ(*lcm({"8", "125"}), ReadStep("1000"));
  CHECK_EQ(*lcm({"0.01", "0.025", "3"}), ReadStep("3"));
  CHECK_EQ(*lcm({"7"}), ReadStep("7"));
  CHECK_EQ(lcm({"99991", "2"}).error().verdict, Verdict::kTooLarge);
  CHECK_EQ(lcm({"65536", "1e-30"}).ok(), true);
  CHECK_EQ(lcm({"64e-30", "1e30"}).ok(), true);
  CHECK_EQ(lcm({"1e-30", "99999"}).ok(), true);
}

TEST_CASE("the tighter bound wins when constraints are conjoined") {
  NumberConstraints a, b;
  a.min = NumberBound{Decimal(1), false};
  a.max = NumberBound{Decimal(9), false};
  b.min = NumberBound{Decimal(1), true};
  b.max = NumberBound{Decimal(12), true};
  b.integer = true;
  a.excluded = {Decimal(3)};
  b.excluded = {Decimal(3), Decimal(4)};
  a.multiple_of = b.multiple_of = {ReadStep("2")};
  for (const NumberConstraints& both : {Conjoin(a, b), Conjoin(b, a)}) {
    CHECK(both.integer);
    CHECK_EQ(*both.min, NumberBound{Decimal(1), true});
    CHECK_EQ(*both.max, NumberBound{Decimal(9), false});
    CHECK_EQ(both.excluded.size(), 2u);
    CHECK_EQ(both.multiple_of.size(), 1u);
  }
  CHECK_EQ(Conjoin(a, {}), a);
  CHECK_EQ(Conjoin({}, b), b);
}

TEST_CASE("a value satisfies constraints or one part of their negation") {
  NumberConstraints c;
  c.min = NumberBound{ReadDecimal("-2.5"), true};
  c.max = NumberBound{Decimal(20), false};
  c.multiple_of = {ReadStep("0.5")};
  c.not_multiple_of = {ReadStep("3")};
  c.excluded = {Decimal(4)};
  const std::vector<NumberConstraints> parts = Negate(c);
  int members = 0;
  for (int tenths = -50; tenths <= 250; ++tenths) {
    const Decimal value = ReadDecimal(std::to_string(tenths) + "e-1");
    const bool satisfies = Satisfies(value, c);
    const bool expected =
        tenths > -25 && tenths <= 200 && tenths % 5 == 0 && tenths % 30 != 0 && tenths != 40;
    CAPTURE(tenths);
    CHECK_EQ(satisfies, expected);
    members += satisfies ? 1 : 0;
    bool outside = false;
    for (const NumberConstraints& part : parts) outside = outside || Satisfies(value, part);
    CHECK_EQ(outside, !satisfies);
  }
  CHECK_GT(members, 20);
  CHECK(Negate({}).empty());

  NumberConstraints integer;
  integer.integer = true;
  CHECK(Satisfies(ReadDecimal("1.0"), integer));
  CHECK_FALSE(Satisfies(ReadDecimal("1.5"), integer));
  CHECK_FALSE(Satisfies(ReadDecimal("1e0"), Negate(integer)[0]));
  CHECK(Satisfies(ReadDecimal("1.5"), Negate(integer)[0]));
}

}  // namespace
}  // namespace sglrun::grammar
