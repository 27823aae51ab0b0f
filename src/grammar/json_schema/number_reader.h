// A machine that reads a number character by character and at every point knows its relation to two
// bounds and a step: the states from which number_language.cc makes an automaton.
//
// Bounds are compared by magnitude once the sign is known: digits before the point first by their
// count, then digit by digit; a step by the remainder of the digits read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/json_schema/number_constraints.h"

namespace sglrun::grammar {

struct DigitCaps {
  int before_point = 64;
  int after_point = 64;
  bool count_before_point = true;  // else the first cap is not enforced
};

// One conjunction that a single machine can follow.
struct NumberRange {
  bool integer = false;
  bool exponents = false;  // only without bounds and step
  std::optional<NumberBound> min = {}, max = {};
  std::optional<Step> step = {};
};

class NumberReader {
 public:
  enum class Phase : std::uint8_t {
    kStart,
    kMinus,
    kZero,     // a single 0 before the point
    kInteger,  // digits before the point
    kPoint,
    kFraction,
    kExponentMark,
    kExponentSign,
    kExponent,
  };

  struct State {
    Phase phase = Phase::kStart;
    bool negative = false;          // once read: only where bounds make a difference
    std::int8_t low = 0, high = 0;  // digits so far against those of the bound: -1, 0, 1
    std::int16_t digits = 0;        // read in this phase, as far as it matters
    std::int16_t zeros = 0;         // 1 + zeros since the remainder became 0; 0: it is not
    std::uint32_t remainder = 0;

    std::uint64_t Key() const;  // distinct for distinct states
  };

  NumberReader(const NumberRange& range, const DigitCaps& caps);

  // nullopt: no number of the range continues like this (or none at all; both may be found late).
  std::optional<State> Next(const State& state, char c) const;
  bool Accepts(const State& state) const;

 private:
  struct Magnitude {
    std::string before, after;  // digits; "0" and "" for 0
    bool exclusive = false;
  };
  struct Side {  // what the bounds mean for numbers of one sign
    bool possible = true;
    std::optional<Magnitude> low, high;
  };

  static Magnitude MagnitudeOf(const NumberBound& bound);
  static Side SideOf(const std::optional<NumberBound>& min, const std::optional<NumberBound>& max);

  const Side& SideOfState(const State& state) const { return sides_[state.negative ? 1 : 0]; }
  std::optional<State> ReadSign(const State& state) const;
  std::optional<State> ReadIntegerDigit(const State& state, int digit) const;
  std::optional<State> ReadPoint(const State& state) const;
  std::optional<State> ReadFractionDigit(const State& state, int digit) const;
  std::optional<State> ReadExponent(const State& state, char c) const;
  void AdvanceRemainder(State& state, int digit) const;
  bool IsMultiple(const State& state) const;

  NumberRange range_;
  DigitCaps caps_;
  bool has_bounds_ = false;
  Side sides_[2];  // not negative, negative
  // Digits before the point that decide everything but the cap.
  int decisive_digits_ = 1;
  std::vector<std::uint32_t> powers_;  // 10^i modulo the coefficient, up to -step.exponent
};

}  // namespace sglrun::grammar
