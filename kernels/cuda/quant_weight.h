// Quantised weights in device memory. A row is PaddedQuantK(k) codes in steps of 128, laid out for
// the tensor core (gemm of signed bytes, 16 x 8 x 32): in each of a step's four blocks of 32
// columns the lane t of four holds the columns 4t .. 4t + 3 and 16 + 4t .. 16 + 4t + 3, and its
// codes of several blocks stand side by side so that it reads 16 bytes at once.
//   kI8: code - 128 as a signed byte; a step is two halves of 64 bytes, [half][t][block of 2][8]
//   kI4: a code half a byte, columns of the second 16 in the upper halves; [t][block of 4][4]
// Behind all rows come the scales [n, groups], then the minima if there are any, float16 or
// float32. Codes without a minimum are relative to a zero in the middle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

inline constexpr std::int64_t kQuantStep = 128;
constexpr std::int64_t PaddedQuantK(std::int64_t k) {
  return (k + kQuantStep - 1) / kQuantStep * kQuantStep;
}

// Where the code of a column stands in its row: byte and bit.
struct CodePlace {
  std::int64_t byte;
  int shift;
};
constexpr CodePlace PlaceOfByte(std::int64_t column) {
  const std::int64_t step = column / kQuantStep, c = column % kQuantStep;
  return {step * 128 + c / 64 * 64 + c % 16 / 4 * 16 + c / 32 % 2 * 8 + c / 16 % 2 * 4 + c % 4, 0};
}
constexpr CodePlace PlaceOfHalfByte(std::int64_t column) {
  const std::int64_t step = column / kQuantStep, c = column % kQuantStep;
  return {step * 64 + c % 16 / 4 * 16 + c / 32 * 4 + c % 4, static_cast<int>(c / 16 % 2) * 4};
}

// Where the parts of a weight lie, in bytes from its beginning.
struct QuantPlaces {
  std::int64_t groups;  // of a row
  std::size_t row_bytes, scale_bytes;
  std::size_t scales, minima, bytes;

  explicit QuantPlaces(const Weight& weight);
};

// Scratch of a product: x as codes [m, PaddedQuantK(k)], a scale and a sum for each 16 of them at
// least, and the sums of the runs that blocks divide.
constexpr std::size_t QuantRunsOffset(std::int64_t m, std::int64_t k) {
  return static_cast<std::size_t>(m * PaddedQuantK(k)) * 3 / 2;
}

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
