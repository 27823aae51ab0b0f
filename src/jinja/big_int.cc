#include "jinja/big_int.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "jinja/meter.h"

namespace sglrun::jinja {
namespace {

constexpr std::uint64_t kLimb = std::uint64_t{1} << 32;

// The cost of one limb in bytes copied: a product with its carry, a division.
constexpr std::size_t kProductBytes = 2;
constexpr std::size_t kDivisionBytes = 8;

// The largest power of the base that fits a limb, and how many digits it stands for.
struct DigitChunk {
  explicit DigitChunk(std::uint32_t base) {
    for (; power * base < kLimb; ++digits) power *= base;
  }
  std::uint64_t power = 1;
  std::size_t digits = 0;
};

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
  Meter::Bytes(kProductBytes * limbs.size());
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
  const auto radix = static_cast<std::uint32_t>(base);
  const std::size_t per_chunk = DigitChunk(radix).digits;
  Limbs limbs;
  while (!digits.empty()) {
    std::uint32_t value = 0, power = 1;
    for (const char c : digits.substr(0, per_chunk)) {
      if (DigitValue(c) >= base) return std::nullopt;
      value = value * radix + static_cast<std::uint32_t>(DigitValue(c));
      power *= radix;
    }
    MultiplyAdd(limbs, power, value);
    digits.remove_prefix(std::min(per_chunk, digits.size()));
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
  Meter::Bytes(kDivisionBytes * limbs.size());
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
  const DigitChunk chunk(static_cast<std::uint32_t>(base));
  while (!rest.empty()) {
    std::uint32_t value = DivideSmall(rest, static_cast<std::uint32_t>(chunk.power));
    for (std::size_t i = 0; i < chunk.digits && (value != 0 || !rest.empty()); ++i) {
      digits += "0123456789abcdefghijklmnopqrstuvwxyz"[value % static_cast<std::uint32_t>(base)];
      value /= static_cast<std::uint32_t>(base);
    }
  }
  if (negative_) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

BigInt BigInt::operator-() const {
  return {limbs_, !negative_};
}

int BigInt::CompareLimbs(const Limbs& a, const Limbs& b) {
  Meter::Bytes(kProductBytes * std::min(a.size(), b.size()));
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
  Meter::Bytes(kProductBytes * std::max(a.size(), b.size()));
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
  Meter::Bytes(kProductBytes * a.size());
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
  Meter::Bytes(kProductBytes * a.limbs_.size() * b.limbs_.size());
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

// from -= factor * b, over as many limbs as b has; returns the borrow from the next limb.
std::uint32_t BigInt::SubtractProduct(std::uint32_t factor, const Limbs& b, std::uint32_t* from) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::uint64_t product = std::uint64_t{b[i]} * factor + borrow;
    borrow = (product >> 32) + (from[i] < static_cast<std::uint32_t>(product) ? 1 : 0);
    from[i] -= static_cast<std::uint32_t>(product);
  }
  return static_cast<std::uint32_t>(borrow);
}

// to += b; gives the carry.
std::uint32_t BigInt::AddTo(const Limbs& b, std::uint32_t* to) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    carry += std::uint64_t{to[i]} + b[i];
    to[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return static_cast<std::uint32_t>(carry);
}

// Long division (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D): both are
// scaled so that the divisor's top bit is set; then a limb of the quotient is guessed from the top
// two limbs, and is too large by two at most.
std::pair<BigInt::Limbs, BigInt::Limbs> BigInt::DivideLimbs(const Limbs& a, const Limbs& b) {
  if (CompareLimbs(a, b) < 0) return {{}, a};
  if (b.size() == 1) {
    Limbs quotient = a;
    Limbs remainder = {DivideSmall(quotient, b[0])};
    Trim(remainder);
    return {quotient, remainder};
  }
  Limbs quotient(a.size() - b.size() + 1, 0);
  Meter::Bytes(2 * kProductBytes * quotient.size() * b.size());
  const std::uint32_t scale = std::uint32_t{1} << std::countl_zero(b.back());
  Limbs divisor = b, rest = a;
  MultiplyAdd(divisor, scale, 0);
  MultiplyAdd(rest, scale, 0);
  rest.resize(a.size() + 1, 0);
  const std::uint64_t top = divisor.back(), second = divisor[divisor.size() - 2];
  for (std::size_t i = quotient.size(); i-- > 0;) {
    std::uint32_t* const part = &rest[i];
    const std::size_t n = divisor.size();
    const std::uint64_t leading = std::uint64_t{part[n]} << 32 | part[n - 1];
    std::uint64_t guess = leading / top, left = leading % top;
    while (guess >= kLimb || guess * second > (left << 32 | part[n - 2])) {
      --guess;
      left += top;
      if (left >= kLimb) break;
    }
    const std::uint32_t borrow = SubtractProduct(static_cast<std::uint32_t>(guess), divisor, part);
    const bool too_large = part[n] < borrow;
    part[n] -= borrow;
    if (too_large) {
      --guess;
      part[n] += AddTo(divisor, part);
    }
    quotient[i] = static_cast<std::uint32_t>(guess);
  }
  Trim(quotient);
  Trim(rest);
  if (!rest.empty()) DivideSmall(rest, scale);
  return {quotient, rest};
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

}  // namespace sglrun::jinja
