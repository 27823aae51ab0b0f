// Integers of any length, as Python's: a template may print an id of twenty digits it was given.
// Schoolbook arithmetic, charged by the limb; the callers bound the length (kMaxBigIntBits).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sglrun::jinja {

inline constexpr std::size_t kMaxBigIntBits = 1 << 16;

class BigInt {
 public:
  BigInt() = default;
  explicit BigInt(std::int64_t value);
  // Digits of a base up to 36, with a sign in front; nothing else.
  static std::optional<BigInt> Parse(std::string_view digits, int base);
  static std::optional<BigInt> FromDouble(double value);  // the whole part; none of inf and NaN

  std::optional<std::int64_t> ToInt64() const;
  double ToDouble() const;  // nearest, infinity beyond
  std::string ToString(int base = 10) const;
  bool negative() const { return negative_; }
  bool zero() const { return limbs_.empty(); }
  std::size_t bits() const;
  bool odd() const { return !limbs_.empty() && (limbs_[0] & 1) != 0; }

  BigInt operator-() const;
  friend BigInt operator+(const BigInt& a, const BigInt& b);
  friend BigInt operator-(const BigInt& a, const BigInt& b) { return a + -b; }
  friend BigInt operator*(const BigInt& a, const BigInt& b);
  // Quotient rounded down and a remainder with the sign of b, as Python's; b is not zero.
  static std::pair<BigInt, BigInt> DivMod(const BigInt& a, const BigInt& b);
  static int Compare(const BigInt& a, const BigInt& b);

 private:
  using Limbs = std::vector<std::uint32_t>;  // least significant first, no leading zeros

  BigInt(Limbs limbs, bool negative);
  static int CompareLimbs(const Limbs& a, const Limbs& b);
  static Limbs Add(const Limbs& a, const Limbs& b);
  static Limbs Subtract(const Limbs& a, const Limbs& b);  // a >= b
  static void Trim(Limbs& limbs);
  static std::uint32_t DivideSmall(Limbs& limbs, std::uint32_t divisor);  // gives the remainder
  static std::uint32_t SubtractProduct(std::uint32_t factor, const Limbs& b, std::uint32_t* from);
  static std::uint32_t AddTo(const Limbs& b, std::uint32_t* to);
  static void MultiplyAdd(Limbs& limbs, std::uint32_t factor, std::uint32_t addend);
  static std::pair<Limbs, Limbs> DivideLimbs(const Limbs& a, const Limbs& b);

  bool negative_ = false;
  Limbs limbs_;
};

}  // namespace sglrun::jinja
