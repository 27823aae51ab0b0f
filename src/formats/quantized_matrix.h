// Quantised matrices of Hugging Face checkpoints: codes, scales and zero points that lie in tensors
// of their own. An element is (code - zero point) * scale, the difference an exact integer, the
// product rounded once to float32.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sglrun::formats {

// How the codes of a matrix [rows, columns] lie in their tensor. Packed ones are streams of bits in
// little-endian words of 32.
enum class CodeLayout {
  kInt8,          // [rows, columns], signed
  kFloat8,        // [rows, columns], F8_E4M3
  kAlongColumns,  // [rows, words]: the stream of a row (compressed-tensors)
  kAlongRows,     // [words, rows]: the stream of a row goes down a column (GPTQ)
  kAwq,           // [columns, rows / 8]: nibbles of eight rows in a word, in AWQ's order
};

// How the zero points of the groups of a row lie.
enum class ZeroLayout {
  kConstant,   // one number
  kInt8,       // [rows, groups], signed
  kDownRows,   // [words, groups]: the stream of a group goes down a column (compressed-tensors)
  kAlongRows,  // [groups, words]: the stream of a group (GPTQ)
  kAwq,        // [groups, rows / 8]
};

// Numbers that scales are stored as.
enum class ScaleType { kF32, kF16, kBF16, kF8E4M3, kF8E8M0 };

std::int64_t ScaleBytes(ScaleType type);
// Writes `count` scales as float32.
void ReadScales(const std::uint8_t* data, ScaleType type, std::int64_t count, float* out);

struct QuantizedMatrix {
  std::int64_t rows = 0, columns = 0;
  CodeLayout code_layout = CodeLayout::kInt8;
  int bits = 8;
  const std::uint8_t* codes = nullptr;

  // The scale of a row and group is number row / row_block * row_stride + group * group_stride.
  const std::uint8_t* scales = nullptr;
  ScaleType scale_type = ScaleType::kF32;
  std::int64_t row_block = 1, row_stride = 0, group_stride = 0;

  ZeroLayout zero_layout = ZeroLayout::kConstant;
  const std::uint8_t* zeros = nullptr;
  std::int32_t zero = 0;  // the constant, or what is added to every stored one

  std::int64_t groups = 1, group_size = 0;  // of a row
  // The group of every column; empty: column / group_size.
  std::vector<std::int32_t> group_of_column = {};

  std::int32_t ZeroAt(std::int64_t row, std::int64_t group) const;
  // Writes rows [first, first + count) as float32. Source bytes need no alignment.
  void ReadRows(std::int64_t first, std::int64_t count, float* out) const;
};

// F8_E4M3: sign, four bits of exponent, three of mantissa, no infinity.
float Float8E4M3(std::uint8_t code);

}  // namespace sglrun::formats
