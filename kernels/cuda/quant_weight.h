// Quantised weights in device memory. A row is PaddedK(k) codes, 32 to a load or two:
//   kI8: code - 128 as a signed byte;
//   kI4: 32 codes in 16 bytes, code i in the low half of byte i and code i + 16 in its high half.
// Behind all rows come the scales [n, groups], then the minima if there are any, float16 or
// float32. Codes without a minimum are relative to a zero in the middle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

// Where the parts of a weight lie, in bytes from its beginning.
struct QuantPlaces {
  std::int64_t groups;  // of a row
  std::size_t row_bytes, scale_bytes;
  std::size_t scales, minima, bytes;

  explicit QuantPlaces(const Weight& weight);
};

// What is added to a stored code before it is scaled.
constexpr std::int32_t CodeOffset(WeightType type, bool minima) {
  if (type == WeightType::kI8) return minima ? 128 : 0;
  return minima ? 0 : -8;
}

// Rows of codes, one a byte, as they are stored: count * row_bytes.
void EncodeCodes(const Weight& weight, const std::uint8_t* codes, std::int64_t count,
                 std::uint8_t* to);
// Scales or minima of `count` rows: count * groups * scale_bytes.
void EncodeScales(const Weight& weight, const float* values, std::int64_t count, std::uint8_t* to);

}  // namespace sglrun::kernels::cuda
