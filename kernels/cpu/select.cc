#include "kernels/cpu/select.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sglrun::kernels::cpu {
namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

struct Histogram {
  std::int64_t count[kDigits] = {};
  std::uint64_t sum[kDigits] = {};
};

}  // namespace

Cut FindCut(const std::uint32_t* weights, std::int64_t count, std::int64_t top_k,
            std::uint64_t limit, std::uint32_t* scratch) {
  std::int64_t kept = 0;   // tokens above the digit under inspection
  std::uint64_t mass = 0;  // and their weights
  std::uint32_t prefix = 0;
  for (int shift = 32 - kDigitBits; shift >= 0; shift -= kDigitBits) {
    Histogram histogram;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t digit = weights[i] >> shift & (kDigits - 1);
      ++histogram.count[digit];
      histogram.sum[digit] += weights[i];
    }
    // Digits that are kept as a whole, from the top.
    int digit = kDigits - 1;
    while (digit >= 0 && kept + histogram.count[digit] <= top_k &&
           mass + histogram.sum[digit] <= limit) {
      kept += histogram.count[digit];
      mass += histogram.sum[digit];
      --digit;
    }
    if (digit < 0) return {prefix, 0, mass};
    prefix |= static_cast<std::uint32_t>(digit) << shift;
    std::int64_t same = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      scratch[same] = weights[i];
      same += (weights[i] >> shift & (kDigits - 1)) == static_cast<std::uint32_t>(digit);
    }
    weights = scratch;
    count = same;
  }
  // `count` tokens of weight `prefix`: the i-th is kept while rank and sum before it allow.
  if (kept >= top_k || mass > limit) return {prefix, 0, mass};
  std::int64_t ties = std::min(count, top_k - kept);
  if (prefix > 0) {
    ties = std::min(ties, static_cast<std::int64_t>((limit - mass) / prefix) + 1);
  }
  return {prefix, ties, mass + static_cast<std::uint64_t>(ties) * prefix};
}

float KthLargest(float* values, std::int64_t count, std::int64_t k) {
  std::nth_element(values, values + k - 1, values + count, std::greater<>());
  return values[k - 1];
}

void SmallestFirst(std::uint64_t* keys, std::int64_t count, std::int64_t kept) {
  if (kept < count) std::nth_element(keys, keys + kept, keys + count);
  std::sort(keys, keys + kept);
}

double Log(double value) {
  return std::log(value);
}

}  // namespace sglrun::kernels::cpu
