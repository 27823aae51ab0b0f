#include "tokenizer/jinja/big_int.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sglrun::tokenizer::jinja {
namespace {

constexpr std::uint64_t kLimb = std::uint64_t{1} << 32;

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

}  // namespace

BigInt::BigInt(std::int64_t value) : negative_(value < 0) {
  std::uint64_t rest =
      negative_ ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  for (; rest != 0; rest >>= 32) limbs_.push_back(static_cast<std::uint32_t>(rest));
}

BigInt::BigInt(Limbs limbs, bool negative) : negative_(negative), limbs_(std::move(limbs)) {
  Trim(limbs_);
  if (limbs_.empty()) negative_ = false;
}

void BigInt::Trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

void BigInt::MultiplyAdd(Limbs& limbs, std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint32_t& limb : limbs) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
}

std::optional<BigInt> BigInt::Parse(std::string_view digits, int base) {
  bool negative = false;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits.size() > kMaxBigIntBits) return std::nullopt;
  Limbs limbs;
  for (const char c : digits) {
    const int value = DigitValue(c);
    if (value >= base) return std::nullopt;
    MultiplyAdd(limbs, static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(value));
  }
  return BigInt(std::move(limbs), negative);
}

std::optional<BigInt> BigInt::FromDouble(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(std::trunc(value)), &exponent);
  if (fraction == 0.0) return BigInt();
  // 53 bits hold all of the fraction; what is shifted out below is zero, as the value is whole.
  BigInt result(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  int shift = exponent - 53;
  for (; shift < 0; ++shift) DivideSmall(result.limbs_, 2);
  for (; shift > 0; --shift) MultiplyAdd(result.limbs_, 2, 0);
  result.negative_ = value < 0 && !result.limbs_.empty();
  return result;
}

std::optional<std::int64_t> BigInt::ToInt64() const {
  if (limbs_.size() > 2) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) value = value << 32 | limbs_[i];
  constexpr std::uint64_t kMin = std::uint64_t{1} << 63;
  if (value > kMin || (value == kMin && !negative_)) return std::nullopt;
  return static_cast<std::int64_t>(negative_ ? ~value + 1 : value);
}

std::size_t BigInt::bits() const {
  if (limbs_.empty()) return 0;
  return limbs_.size() * 32 - static_cast<std::size_t>(std::countl_zero(limbs_.back()));
}

double BigInt::ToDouble() const {
  if (bits() > 1024) {
    return negative_ ? -std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::infinity();
  }
  // The top 64 bits, the lowest of them set when anything below is: rounds to nearest once.
  const std::size_t count = bits();
  std::uint64_t top = 0;
  bool rest = false;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint64_t bit = limbs_[i / 32] >> (i % 32) & 1;
    if (count - i <= 64) {
      top = top << 1 | bit;
    } else {
      rest = rest || bit != 0;
    }
  }
  if (rest) top |= 1;
  const int exponent = count > 64 ? static_cast<int>(count) - 64 : 0;
  const double value = std::ldexp(static_cast<double>(top), exponent);
  return negative_ ? -value : value;
}

std::uint32_t BigInt::DivideSmall(Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    remainder = remainder << 32 | limbs[i];
    limbs[i] = static_cast<std::uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  Trim(limbs);
  return static_cast<std::uint32_t>(remainder);
}

std::string BigInt::ToString(int base) const {
  if (limbs_.empty()) return "0";
  std::string digits;
  Limbs rest = limbs_;
  while (!rest.empty()) {
    const std::uint32_t digit = DivideSmall(rest, static_cast<std::uint32_t>(base));
    digits += "0123456789abcdefghijklmnopqrstuvwxyz"[digit];
  }
  if (negative_) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

BigInt BigInt::operator-() const {
  return {limbs_, !negative_};
}

int BigInt::CompareLimbs(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

int BigInt::Compare(const BigInt& a, const BigInt& b) {
  if (a.negative_ != b.negative_) return a.negative_ ? -1 : 1;
  const int order = CompareLimbs(a.limbs_, b.limbs_);
  return a.negative_ ? -order : order;
}

BigInt::Limbs BigInt::Add(const Limbs& a, const Limbs& b) {
  Limbs sum = a.size() >= b.size() ? a : b;
  const Limbs& other = a.size() >= b.size() ? b : a;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += std::uint64_t{sum[i]} + (i < other.size() ? other[i] : 0);
    sum[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) sum.push_back(static_cast<std::uint32_t>(carry));
  return sum;
}

BigInt::Limbs BigInt::Subtract(const Limbs& a, const Limbs& b) {
  Limbs difference = a;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    const std::uint64_t part = (i < b.size() ? b[i] : 0) + borrow;
    borrow = difference[i] < part ? 1 : 0;
    difference[i] = static_cast<std::uint32_t>(difference[i] + borrow * kLimb - part);
  }
  return difference;
}

BigInt operator+(const BigInt& a, const BigInt& b) {
  if (a.negative_ == b.negative_) return {BigInt::Add(a.limbs_, b.limbs_), a.negative_};
  if (BigInt::CompareLimbs(a.limbs_, b.limbs_) >= 0) {
    return {BigInt::Subtract(a.limbs_, b.limbs_), a.negative_};
  }
  return {BigInt::Subtract(b.limbs_, a.limbs_), b.negative_};
}

BigInt operator*(const BigInt& a, const BigInt& b) {
  BigInt::Limbs product(a.limbs_.size() + b.limbs_.size(), 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < b.limbs_.size(); ++k) {
      carry += std::uint64_t{a.limbs_[i]} * b.limbs_[k] + product[i + k];
      product[i + k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
  }
  return {std::move(product), a.negative_ != b.negative_};
}

// Bit by bit: long divisions are rare here, and this form is plainly right.
std::pair<BigInt::Limbs, BigInt::Limbs> BigInt::DivideLimbs(const Limbs& a, const Limbs& b) {
  if (b.size() == 1) {
    Limbs quotient = a;
    Limbs remainder = {DivideSmall(quotient, b[0])};
    Trim(remainder);
    return {quotient, remainder};
  }
  Limbs quotient(a.size(), 0);
  Limbs remainder;
  for (std::size_t i = a.size() * 32; i-- > 0;) {
    MultiplyAdd(remainder, 2, a[i / 32] >> (i % 32) & 1);
    if (CompareLimbs(remainder, b) < 0) continue;
    remainder = Subtract(remainder, b);
    Trim(remainder);
    quotient[i / 32] |= std::uint32_t{1} << (i % 32);
  }
  Trim(quotient);
  return {quotient, remainder};
}

std::pair<BigInt, BigInt> BigInt::DivMod(const BigInt& a, const BigInt& b) {
  auto [quotient, remainder] = DivideLimbs(a.limbs_, b.limbs_);
  const bool exact = remainder.empty();
  BigInt q(std::move(quotient), a.negative_ != b.negative_);
  BigInt r(std::move(remainder), a.negative_);
  // Rounded towards zero so far.
  if (!exact && a.negative_ != b.negative_) {
    q = q - BigInt(1);
    r = r + b;
  }
  return {q, r};
}

}  // namespace sglrun::tokenizer::jinja
