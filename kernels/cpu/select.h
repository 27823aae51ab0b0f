// Selection on plain arrays for sample and logprobs: compiled once for every machine, so the
// standard library may be used here.
#pragma once

#include <cstdint>

namespace sglrun::kernels::cpu {

// Where the kept set ends: kept are the weights above `weight`, and `ties` of those equal to it.
struct Cut {
  std::uint32_t weight = 0;
  std::int64_t ties = 0;
  std::uint64_t mass = 0;  // of the kept weights
};

// The longest prefix of the weights, in descending order, with at most top_k of them and with the
// sum before each at most `limit`. A radix descent: no sort. Weights are in id order; `scratch` has
// room for `count` of them.
Cut FindCut(const std::uint32_t* weights, std::int64_t count, std::int64_t top_k,
            std::uint64_t limit, std::uint32_t* scratch);

// The k-th largest of the values, 1 <= k <= count; reorders them.
float KthLargest(float* values, std::int64_t count, std::int64_t k);

// The `kept` smallest keys to the front, ascending.
void SmallestFirst(std::uint64_t* keys, std::int64_t count, std::int64_t kept);

double Log(double value);

}  // namespace sglrun::kernels::cpu
