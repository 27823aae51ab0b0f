#include "grammar/json_schema/number_language.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "leaf_helpers.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

NumberBound Inclusive(std::string_view text) {
  return {ReadDecimal(text), false};
}
NumberBound Exclusive(std::string_view text) {
  return {ReadDecimal(text), true};
}
Step ReadStep(std::string_view text) {
  return Step::From(ReadDecimal(text)).value();
}

DfaResult TryLanguage(const NumberConstraints& constraints) {
  const Limits limits;
  Budget budget(limits);
  return NumberLanguage(constraints, budget);
}

Dfa Language(const NumberConstraints& constraints) {
  DfaResult dfa = TryLanguage(constraints);
  REQUIRE_MESSAGE(dfa.ok(), dfa.error().message);
  return std::move(dfa).value();
}

void Check(const NumberConstraints& constraints, std::initializer_list<std::string> accepted,
           std::initializer_list<std::string> rejected) {
  const Dfa dfa = Language(constraints);
  for (const std::string& text : accepted) {
    CAPTURE(text);
    CHECK(HoldsBytes(dfa, text));
  }
  for (const std::string& text : rejected) {
    CAPTURE(text);
    CHECK_FALSE(HoldsBytes(dfa, text));
  }
}

std::string Digits(std::size_t n, char digit = '1') {
  return std::string(n, digit);
}

TEST_CASE("a free number is a JSON number with capped runs of digits") {
  Check({},
        {"0", "-0", "-0.0", "7", "-12.50", "1e5", "1E+05", "0e-0", "1.5e-9999", Digits(64),
         "-" + Digits(64) + "." + Digits(64) + "e1234"},
        {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1e12345", Digits(65),
         "0." + Digits(65), "1.5.5", "1e5.5", "e5", "--1", " 1", "1 "});
}

TEST_CASE("a free integer has neither sign of zero, fraction nor exponent") {
  Check({.integer = true}, {"0", "7", "-12", Digits(64), "-" + Digits(64)},
        {"", "-", "-0", "1.0", "1e2", "01", "-01", Digits(65), "+1"});
}

TEST_CASE("bounds are compared with every digit") {
  Check({.min = Inclusive("0"), .max = Inclusive("100")},
        {"0", "-0", "0.0", "-0.000", "99.999", "100", "100.00", "0." + Digits(64), "7.5"},
        {"-1", "-0.1", "100.01", "101", "1000", "1e1", "100." + Digits(63, '0') + "1", "00"});
  Check({.min = Exclusive("0")}, {"0.1", "1", "0." + Digits(63, '0') + "1", Digits(64)},
        {"0", "0.0", "-0", "-1", "0." + Digits(64, '0'), "1e1"});
  Check({.max = Exclusive("0")}, {"-0.1", "-1", "-0." + Digits(63, '0') + "1"},
        {"0", "0.0", "-0", "-0.0", "1"});
  Check({.max = Inclusive("0")}, {"0", "-0", "-0.5", "0.00", "-" + Digits(64)}, {"0.1", "1"});
  Check({.min = Inclusive("1.25"), .max = Inclusive("1.5")},
        {"1.25", "1.250", "1.3", "1.26", "1.5", "1.50"}, {"1.2", "1.24", "1.249999", "1.501", "1"});
  Check({.min = Inclusive("-20.5"), .max = Exclusive("-3")},
        {"-20.5", "-20.50", "-20", "-3.01", "-19.99", "-9"},
        {"-20.51", "-21", "-3", "-3.0", "-2", "3", "0", "-100"});
  Check({.min = Inclusive("12345678901234567890123.5")},
        {"12345678901234567890123.5", "12345678901234567890124", "99999999999999999999999"},
        {"12345678901234567890123.4", "12345678901234567890123", "9999999999999999999999"});
  Check({.min = Inclusive("9007199254740993"), .max = Inclusive("9007199254740993")},
        {"9007199254740993", "9007199254740993.0"}, {"9007199254740992", "9007199254740994"});
}

TEST_CASE("bounds of integers are rounded inward") {
  Check({.integer = true, .min = Inclusive("1.5"), .max = Inclusive("4.5")}, {"2", "3", "4"},
        {"1", "5", "2.0", "1.5"});
  Check({.integer = true, .min = Inclusive("-4.5"), .max = Exclusive("-1")}, {"-4", "-3", "-2"},
        {"-5", "-1", "0", "-0"});
  Check({.integer = true, .min = Exclusive("2"), .max = Exclusive("4")}, {"3"}, {"2", "4"});
}

TEST_CASE("bounds far away keep the caps, bounds near zero extend them") {
  Check({.min = Inclusive("0"), .max = Inclusive("1.7976931348623157e308")}, {"0", Digits(64)},
        {"-1", Digits(65), "1e308"});
  Check({.min = Inclusive("1e100")}, {"1" + Digits(100, '0'), Digits(105, '9')},
        {Digits(100, '9'), "1"});
  Check({.min = Exclusive("0"), .max = Inclusive("1e-100")},
        {"0." + Digits(99, '0') + "1", "0." + Digits(100, '0') + "1"},
        {"0." + Digits(98, '0') + "1", "0", "1"});
}

TEST_CASE("multiples are read by remainder") {
  Check({.multiple_of = {ReadStep("3")}}, {"0", "-0", "3", "-3", "12.00", "111111", "3.0"},
        {"1", "4", "3.1", "3e0", "1.5"});
  Check({.multiple_of = {ReadStep("0.01")}}, {"0.01", "1", "4.35", "4.350000", "-1.1", "-0.00"},
        {"0.001", "4.351", "4.3500001", "1e2"});
  Check({.multiple_of = {ReadStep("2.5")}}, {"2.5", "5", "7.50", "10"}, {"2.4", "3", "7.51", "1"});
  Check({.multiple_of = {ReadStep("1000")}}, {"0", "1000", "23000", "-1000.0"},
        {"100", "1500", "1000.5", "10"});
  Check({.multiple_of = {ReadStep("1200")}}, {"1200", "2400", "12000", "0"},
        {"1300", "1800", "600", "100", "120"});
  Check({.multiple_of = {ReadStep("4"), ReadStep("6")}}, {"12", "24", "0"}, {"4", "6", "18"});
  Check({.integer = true, .multiple_of = {ReadStep("0.5")}}, {"1", "2"}, {"1.0", "0.5", "1.5"});
  Check({.integer = true, .multiple_of = {ReadStep("1.5")}}, {"3", "-6", "0"}, {"1", "2", "1.5"});
  Check({.min = Exclusive("10"), .max = Inclusive("21"), .multiple_of = {ReadStep("3.5")}},
        {"10.5", "14", "17.50", "21", "21.0"}, {"7", "10", "24.5", "21.5", "11"});
  Check({.multiple_of = {ReadStep("99999")}}, {"99999", "199998", "0"}, {"1", "99998", "100000"});
  Check({.multiple_of = {ReadStep("1e-8")}}, {"0.00000001", "1", "12.5"}, {"0.000000001"});
}

TEST_CASE("not takes values away in all their spellings") {
  Check({.excluded = {Decimal(1), ReadDecimal("2.50")}}, {"0", "1.5", "2.51", "-1", "10", "2"},
        {"1", "1.0", "1.00", "1e0", "10e-1", "2.5", "2.500"});
  Check({.not_integer = true}, {"0.5", "-1.25", "1.010"}, {"0", "-0", "1", "1.0", "1e0", "15e-1"});
  Check({.not_multiple_of = {ReadStep("3")}}, {"1", "1.5", "-4", "3.01"}, {"0", "3", "3.0", "-9"});
  Check({.integer = true, .multiple_of = {ReadStep("2")}, .not_multiple_of = {ReadStep("3")}},
        {"2", "4", "-8"}, {"0", "6", "3", "2.0"});
  Check({.integer = true, .excluded = {Decimal(0)}}, {"1", "-1"}, {"0", "-0"});
  // A large step lifts the cap of digits; what is taken away is lifted with it.
  Check({.multiple_of = {ReadStep("9999")}, .not_multiple_of = {ReadStep("99")}}, {},
        {"0", "9999", "9999" + Digits(100, '0')});
}

TEST_CASE("a language is empty exactly when no number satisfies the constraints") {
  const auto empty = [](const NumberConstraints& c) { return IsEmpty(Language(c)); };
  CHECK(empty({.min = Inclusive("2"), .max = Inclusive("1")}));
  CHECK(empty({.min = Inclusive("1"), .max = Exclusive("1")}));
  CHECK(empty({.integer = true, .min = Exclusive("1"), .max = Exclusive("2")}));
  CHECK(empty({.integer = true, .not_integer = true}));
  CHECK(empty({.min = Inclusive("1"), .max = Inclusive("2"), .multiple_of = {ReadStep("3")}}));
  CHECK(empty({.multiple_of = {ReadStep("6")}, .not_multiple_of = {ReadStep("3")}}));
  CHECK(empty({.min = Inclusive("1"), .max = Inclusive("1"), .excluded = {Decimal(1)}}));
  CHECK_FALSE(empty({.min = Inclusive("1"), .max = Inclusive("1.0")}));
  const std::string long_bound = Digits(64, '9');
  CHECK_FALSE(empty({.integer = true, .min = Exclusive(long_bound)}));
  CHECK_FALSE(empty({.min = Exclusive("0." + long_bound), .max = Exclusive("1")}));
  CHECK_FALSE(empty({.min = Inclusive("1"), .multiple_of = {ReadStep("1e70")}}));
}

TEST_CASE("numbers beyond the limits are too large, not slow") {
  const auto verdict = [](const NumberConstraints& c) { return TryLanguage(c).error().verdict; };
  CHECK_EQ(verdict({.min = Inclusive("1e1001")}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.min = Inclusive("1e999999999")}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.max = Inclusive("1e-5000")}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.multiple_of = {ReadStep("1e999999999")}}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.not_multiple_of = {ReadStep("1e-999999999")}}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.multiple_of = {ReadStep("99991"), ReadStep("99989")}}), Verdict::kTooLarge);
  CHECK_EQ(verdict({.multiple_of = {ReadStep("99991e-900")}}), Verdict::kTooLarge);
}

// The same said with integers: all values in thousandths.
struct Thousandths {
  bool integer = false, not_integer = false;
  std::optional<std::int64_t> min, max;
  bool min_exclusive = false, max_exclusive = false;
  std::vector<std::int64_t> steps, not_steps, excluded;

  bool Holds(std::int64_t v) const {
    const auto divides = [&](std::int64_t step) { return v % step == 0; };
    if (min && (min_exclusive ? v <= *min : v < *min)) return false;
    if (max && (max_exclusive ? v >= *max : v > *max)) return false;
    if (v % 1000 == 0 ? not_integer : integer) return false;
    return std::all_of(steps.begin(), steps.end(), divides) &&
           std::none_of(not_steps.begin(), not_steps.end(), divides) &&
           std::find(excluded.begin(), excluded.end(), v) == excluded.end();
  }
  // A millionth further from zero, where no step of ours is hit.
  bool HoldsJustBeyond(std::int64_t v) const {
    if (!steps.empty()) return false;
    return v < 0 ? (!min || v > *min) && (!max || v <= *max)
                 : (!min || v >= *min) && (!max || v < *max);
  }
};

Decimal FromThousandths(std::int64_t v) {
  return ReadDecimal(std::to_string(v) + "e-3");
}

NumberConstraints ToConstraints(const Thousandths& t) {
  NumberConstraints c;
  c.integer = t.integer;
  c.not_integer = t.not_integer;
  if (t.min) c.min = NumberBound{FromThousandths(*t.min), t.min_exclusive};
  if (t.max) c.max = NumberBound{FromThousandths(*t.max), t.max_exclusive};
  for (const std::int64_t s : t.steps) c.multiple_of.push_back(*Step::From(FromThousandths(s)));
  for (const std::int64_t s : t.not_steps) {
    c.not_multiple_of.push_back(*Step::From(FromThousandths(s)));
  }
  for (const std::int64_t v : t.excluded) c.excluded.insert(FromThousandths(v));
  return c;
}

Thousandths Draw(std::mt19937& random) {
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto coin = [&] { return below(2) == 0; };
  const auto value = [&] {
    static constexpr std::int64_t kUnits[] = {1000, 100, 10, 1};
    const std::int64_t unit = kUnits[below(4)];
    return (below(4'000'000 / unit) - 2'000'000 / unit) * unit;
  };
  const auto step = [&] {
    static constexpr std::int64_t kSteps[] = {1000,   2000,    3000, 7000,   10'000, 12'000,
                                              64'000, 500,     250,  100,    10,     1500,
                                              2,      100'000, 1,    30'000, 365'000};
    return kSteps[below(std::size(kSteps))];
  };
  Thousandths t;
  t.integer = coin();
  t.not_integer = below(12) == 0;
  if (coin()) t.min = value();
  if (coin()) t.max = value();
  if (t.min && t.max && *t.min > *t.max) std::swap(t.min, t.max);
  t.min_exclusive = coin();
  t.max_exclusive = coin();
  if (below(3) == 0) t.steps.push_back(step());
  if (below(6) == 0) t.steps.push_back(step());
  if (below(6) == 0) t.not_steps.push_back(step());
  while (below(4) == 0) t.excluded.push_back(value());
  return t;
}

TEST_CASE("number automata agree with arithmetic") {
  std::mt19937 random(20'26);
  for (int round = 0; round < Rounds(150); ++round) {
    const Thousandths t = Draw(random);
    const NumberConstraints constraints = ToConstraints(t);
    if (constraints == NumberConstraints{}) continue;
    const Dfa dfa = Language(constraints);
    int wrong = 0;
    std::string first;
    const auto check = [&](const std::string& text, bool expected) {
      if (HoldsBytes(dfa, text) == expected) return;
      if (wrong++ == 0) first = text + (expected ? " rejected" : " accepted");
    };
    for (std::int64_t n = -2000; n <= 2000; ++n) {
      const std::string text = std::to_string(n);
      check(text, t.Holds(n * 1000));
      if (n % 7 == 0) check(text + ".00", !t.integer && t.Holds(n * 1000));
    }
    check("-0", !t.integer && t.Holds(0));
    for (int i = 0; i < 3000; ++i) {
      const int digits = 1 + static_cast<int>(random() % 3);
      const std::int64_t unit = digits == 1 ? 100 : digits == 2 ? 10 : 1;
      const auto edge =
          std::vector<std::int64_t>{t.min.value_or(0), t.max.value_or(0)}[random() % 2];
      const std::int64_t near =
          edge / unit * unit + (static_cast<std::int64_t>(random() % 41) - 20) * unit;
      const std::int64_t far =
          static_cast<std::int64_t>(random() % 4'000'000) / unit * unit - 2'000'000;
      const std::int64_t v = i % 2 == 0 ? near : far;
      std::string text = std::to_string(std::abs(v) % 1000);
      text.insert(0, 3 - text.size(), '0');
      text.resize(static_cast<std::size_t>(digits));
      text = (v < 0 ? "-" : "") + std::to_string(std::abs(v) / 1000) + "." + text;
      check(text, !t.integer && t.Holds(v));
      check(text + "0", !t.integer && t.Holds(v));
      if (digits == 3) check(text + "001", !t.integer && t.HoldsJustBeyond(v));
    }
    CAPTURE(round);
    CHECK_MESSAGE(wrong == 0, first);
  }
}

}  // namespace
}  // namespace sglrun::grammar
