#include "grammar/json_schema/number_reader.h"

#include <algorithm>

namespace sglrun::grammar {
namespace {

constexpr int kExponentDigits = 4;

std::int8_t Compare(int a, int b) {
  return static_cast<std::int8_t>(a < b ? -1 : a > b ? 1 : 0);
}

// Compares a number with `count` digits before the point to `digits`, if its first digits compare
// as `order`.
std::int8_t AtPoint(std::int8_t order, int count, const std::string& digits) {
  const int length = static_cast<int>(digits.size());
  return count == length ? order : Compare(count, length);
}

// The order after one more digit, the `index`-th of its side of the point.
std::int8_t Advance(std::int8_t order, const std::string& digits, int index, int digit) {
  if (order != 0) return order;
  const bool beyond = index >= static_cast<int>(digits.size());
  return Compare(digit, beyond ? 0 : digits[static_cast<std::size_t>(index)] - '0');
}

}  // namespace

std::uint64_t NumberReader::State::Key() const {
  std::uint64_t key = static_cast<std::uint64_t>(phase);
  key = key << 1 | (negative ? 1u : 0u);
  key = key << 2 | static_cast<std::uint64_t>(low + 1);
  key = key << 2 | static_cast<std::uint64_t>(high + 1);
  key = key << 16 | static_cast<std::uint64_t>(digits);
  key = key << 16 | static_cast<std::uint64_t>(zeros);
  return key << 20 | remainder;
}

NumberReader::NumberReader(const NumberRange& range, const DigitCaps& caps)
    : range_(range), caps_(caps), has_bounds_(range.min || range.max) {
  const auto negated = [](const std::optional<NumberBound>& bound) {
    return bound ? std::optional(NumberBound{bound->value.Negated(), bound->exclusive})
                 : std::nullopt;
  };
  sides_[0] = SideOf(range.min, range.max);
  sides_[1] = SideOf(negated(range.max), negated(range.min));
  for (const Side& side : sides_) {
    for (const auto& bound : {side.low, side.high}) {
      if (!bound) continue;
      decisive_digits_ = std::max(decisive_digits_, static_cast<int>(bound->before.size()) + 1);
    }
  }
  if (!range.step) return;
  powers_.push_back(1 % range.step->coefficient);
  for (std::int64_t i = 0; i < -range.step->exponent; ++i) {
    powers_.push_back(powers_.back() * 10 % range.step->coefficient);
  }
}

// Of a bound that is not negative.
NumberReader::Magnitude NumberReader::MagnitudeOf(const NumberBound& bound) {
  const std::int64_t digits = bound.value.IntegerDigits() + bound.value.FractionDigits();
  const std::string text = *bound.value.Plain(static_cast<std::size_t>(digits));
  const std::size_t point = text.find('.');
  return {text.substr(0, point), point == std::string::npos ? "" : text.substr(point + 1),
          bound.exclusive};
}

// For numbers that are not negative; those that are see both bounds negated.
NumberReader::Side NumberReader::SideOf(const std::optional<NumberBound>& min,
                                        const std::optional<NumberBound>& max) {
  Side side;
  if (min && !min->value.is_negative() && (!min->value.is_zero() || min->exclusive)) {
    side.low = MagnitudeOf(*min);
  }
  if (max) {
    side.possible = !max->value.is_negative();
    if (side.possible) side.high = MagnitudeOf(*max);
  }
  return side;
}

std::optional<NumberReader::State> NumberReader::Next(const State& state, char c) const {
  const bool is_digit = c >= '0' && c <= '9';
  switch (state.phase) {
    case Phase::kStart:
      if (c == '-') return ReadSign(state);
      [[fallthrough]];
    case Phase::kMinus:
      return is_digit && SideOfState(state).possible ? ReadIntegerDigit(state, c - '0')
                                                     : std::nullopt;
    case Phase::kInteger:
      if (is_digit) return ReadIntegerDigit(state, c - '0');
      [[fallthrough]];
    case Phase::kZero:
      if (c == '.') return ReadPoint(state);
      return ReadExponent(state, c);
    case Phase::kPoint:
      return is_digit ? ReadFractionDigit(state, c - '0') : std::nullopt;
    case Phase::kFraction:
      return is_digit ? ReadFractionDigit(state, c - '0') : ReadExponent(state, c);
    case Phase::kExponentMark:
    case Phase::kExponentSign:
    case Phase::kExponent:
      return ReadExponent(state, c);
  }
  return std::nullopt;
}

std::optional<NumberReader::State> NumberReader::ReadSign(const State& state) const {
  if (!sides_[1].possible) return std::nullopt;
  State next = state;
  next.phase = Phase::kMinus;
  next.negative = true;
  return next;
}

std::optional<NumberReader::State> NumberReader::ReadIntegerDigit(const State& state,
                                                                  int digit) const {
  const bool first = state.phase != Phase::kInteger;
  if (first && digit == 0 && range_.integer && state.negative) return std::nullopt;  // no -0
  const int count = state.digits + 1;
  if (caps_.count_before_point && count > caps_.before_point) return std::nullopt;
  const Side& side = SideOfState(state);
  State next = state;
  next.negative = state.negative && has_bounds_;
  next.phase = first && digit == 0 ? Phase::kZero : Phase::kInteger;
  if (side.low) next.low = Advance(state.low, side.low->before, state.digits, digit);
  if (side.high) {
    next.high = Advance(state.high, side.high->before, state.digits, digit);
    const int length = static_cast<int>(side.high->before.size());
    if (count > length || (count == length && next.high > 0)) return std::nullopt;
  }
  next.digits = static_cast<std::int16_t>(
      caps_.count_before_point ? count : std::min(count, decisive_digits_));
  if (range_.step) AdvanceRemainder(next, digit);
  return next;
}

void NumberReader::AdvanceRemainder(State& state, int digit) const {
  const std::uint32_t coefficient = range_.step->coefficient;
  state.remainder = (state.remainder * 10 + static_cast<std::uint32_t>(digit)) % coefficient;
  if (range_.step->exponent < 0) return;
  // coefficient * 10^z divides a number that has z zeros after a prefix the coefficient divides.
  const auto wanted = static_cast<std::int16_t>(range_.step->exponent + 1);
  if (state.phase == Phase::kZero) {
    state.zeros = wanted;
  } else if (digit == 0 && state.zeros > 0) {
    state.zeros = std::min<std::int16_t>(static_cast<std::int16_t>(state.zeros + 1), wanted);
  } else {
    state.zeros = state.remainder == 0 ? 1 : 0;
  }
}

std::optional<NumberReader::State> NumberReader::ReadPoint(const State& state) const {
  if (range_.integer) return std::nullopt;
  if (range_.step && range_.step->exponent >= 0 && !IsMultiple(state)) return std::nullopt;
  const Side& side = SideOfState(state);
  State next = state;
  next.phase = Phase::kPoint;
  next.digits = 0;
  if (side.low) {
    next.low = AtPoint(state.low, state.digits, side.low->before);
    if (next.low < 0) return std::nullopt;
  }
  if (side.high) next.high = AtPoint(state.high, state.digits, side.high->before);
  return next;
}

std::optional<NumberReader::State> NumberReader::ReadFractionDigit(const State& state,
                                                                   int digit) const {
  if (state.digits >= caps_.after_point) return std::nullopt;
  const Side& side = SideOfState(state);
  State next = state;
  next.phase = Phase::kFraction;
  next.digits = static_cast<std::int16_t>(state.digits + 1);
  if (side.low) next.low = Advance(state.low, side.low->after, state.digits, digit);
  if (side.high) next.high = Advance(state.high, side.high->after, state.digits, digit);
  if (next.low < 0 || next.high > 0) return std::nullopt;
  if (!range_.step) return next;
  const std::int64_t decisive = std::max<std::int64_t>(0, -range_.step->exponent);
  if (state.digits >= decisive) return digit == 0 ? std::optional(next) : std::nullopt;
  AdvanceRemainder(next, digit);
  if (next.digits == decisive && next.remainder != 0) return std::nullopt;
  return next;
}

std::optional<NumberReader::State> NumberReader::ReadExponent(const State& state, char c) const {
  if (!range_.exponents) return std::nullopt;
  State next;
  if (c >= '0' && c <= '9' && state.phase >= Phase::kExponentMark) {
    if (state.digits >= kExponentDigits) return std::nullopt;
    next.phase = Phase::kExponent;
    next.digits = static_cast<std::int16_t>(state.digits + 1);
    return next;
  }
  if ((c == '+' || c == '-') && state.phase == Phase::kExponentMark) {
    next.phase = Phase::kExponentSign;
    return next;
  }
  if ((c == 'e' || c == 'E') && state.phase < Phase::kExponentMark) {
    next.phase = Phase::kExponentMark;
    return next;
  }
  return std::nullopt;
}

bool NumberReader::IsMultiple(const State& state) const {
  if (!range_.step) return true;
  if (range_.step->exponent >= 0) return state.zeros == range_.step->exponent + 1;
  // The digits not written are zeros.
  const auto read = static_cast<std::size_t>(state.phase == Phase::kFraction ? state.digits : 0);
  if (read + 1 >= powers_.size()) return state.remainder == 0;
  return std::uint64_t{state.remainder} * powers_[powers_.size() - 1 - read] %
             range_.step->coefficient ==
         0;
}

bool NumberReader::Accepts(const State& state) const {
  if (state.phase == Phase::kExponent) return true;
  const bool fraction = state.phase == Phase::kFraction;
  if (!fraction && state.phase != Phase::kZero && state.phase != Phase::kInteger) return false;
  if (!IsMultiple(state)) return false;
  const auto order = [&](std::int8_t so_far, const Magnitude& bound) -> int {
    const std::int8_t now = fraction ? so_far : AtPoint(so_far, state.digits, bound.before);
    const int written = fraction ? state.digits : 0;
    // The bound's fraction does not end with 0: with digits left it is the larger.
    return now == 0 && written < static_cast<int>(bound.after.size()) ? -1 : now;
  };
  const Side& side = SideOfState(state);
  if (side.low) {
    const int low = order(state.low, *side.low);
    if (low < 0 || (low == 0 && side.low->exclusive)) return false;
  }
  if (side.high) {
    const int high = order(state.high, *side.high);
    if (high > 0 || (high == 0 && side.high->exclusive)) return false;
  }
  return true;
}

}  // namespace sglrun::grammar
