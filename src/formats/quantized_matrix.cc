#include "formats/quantized_matrix.h"

#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "formats/dequantize.h"
#include "tensor/dtype.h"

namespace sglrun::formats {
namespace {

// Of eight rows beside each other, the nibble of each.
constexpr int kAwqNibble[] = {0, 4, 1, 5, 2, 6, 3, 7};

std::array<float, 256> MakeFloat8Table() {
  std::array<float, 256> table;
  for (int code = 0; code < 256; ++code) {
    const int exponent = code >> 3 & 15, mantissa = code & 7;
    const float magnitude = (code & 127) == 127 ? std::numeric_limits<float>::quiet_NaN()
                            : exponent == 0
                                ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
    table[static_cast<std::size_t>(code)] = (code & 128) != 0 ? -magnitude : magnitude;
  }
  return table;
}

const std::array<float, 256>& Float8Table() {
  static const std::array<float, 256> table = MakeFloat8Table();
  return table;
}

// 2^(code - 127), the smallest of which is subnormal; 255 is NaN.
float Float8E8M0(std::uint8_t code) {
  if (code == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23);
}

// A stream of bits in words that lie `stride` words apart.
struct BitStream {
  const std::uint8_t* words;
  std::int64_t stride;
  int bits;

  std::int32_t At(std::int64_t index) const {
    const std::int64_t bit = index * bits, word = bit / 32;
    const int shift = static_cast<int>(bit % 32);
    std::uint64_t two = Word(word);
    if (shift + bits > 32) two |= static_cast<std::uint64_t>(Word(word + 1)) << 32;
    return static_cast<std::int32_t>(two >> shift & ((1u << bits) - 1));
  }
  std::uint32_t Word(std::int64_t index) const {
    return LoadUnaligned<std::uint32_t>(words + index * stride * 4);
  }
};

std::int32_t AwqNibble(const std::uint8_t* words, std::int64_t line, std::int64_t row,
                       std::int64_t rows) {
  const std::uint8_t* word = words + (line * (rows / 8) + row / 8) * 4;
  return static_cast<std::int32_t>(LoadUnaligned<std::uint32_t>(word) >> 4 * kAwqNibble[row % 8] &
                                   15);
}

// The number of words that hold `count` codes.
std::int64_t WordsOf(std::int64_t count, int bits) {
  return (count * bits + 31) / 32;
}

// Some rows of a matrix on their way to floats.
class RowsOfMatrix {
 public:
  RowsOfMatrix(const QuantizedMatrix& matrix, std::int64_t first, std::int64_t count)
      : m_(matrix), first_(first), count_(count) {
    ReadGroups();
  }

  void Write(float* out) const {
    switch (m_.code_layout) {
      case CodeLayout::kInt8:
        return WriteRows<CodeLayout::kInt8>(out);
      case CodeLayout::kFloat8:
        return WriteRows<CodeLayout::kFloat8>(out);
      case CodeLayout::kAlongColumns:
        return WriteRows<CodeLayout::kAlongColumns>(out);
      case CodeLayout::kAlongRows:
        return WriteColumns<CodeLayout::kAlongRows>(out);
      case CodeLayout::kAwq:
        return WriteColumns<CodeLayout::kAwq>(out);
    }
  }

 private:
  void ReadGroups() {
    const auto size = static_cast<std::size_t>(count_ * m_.groups);
    scales_.resize(size);
    zeros_.resize(size);
    for (std::int64_t r = 0; r < count_; ++r) {
      const std::int64_t row = first_ + r;
      for (std::int64_t g = 0; g < m_.groups; ++g) {
        const auto at = static_cast<std::size_t>(r * m_.groups + g);
        const std::int64_t index = row / m_.row_block * m_.row_stride + g * m_.group_stride;
        ReadScales(m_.scales + index * ScaleBytes(m_.scale_type), m_.scale_type, 1, &scales_[at]);
        zeros_[at] = m_.ZeroAt(row, g);
      }
    }
    group_of_column_.reserve(static_cast<std::size_t>(m_.columns));
    group_of_column_ = m_.group_of_column;
    for (std::int64_t k = std::ssize(group_of_column_); k < m_.columns; ++k) {
      group_of_column_.push_back(static_cast<std::int32_t>(k / m_.group_size));
    }
  }

  template <CodeLayout kLayout>
  std::int32_t Code(std::int64_t row, std::int64_t k) const {
    if constexpr (kLayout == CodeLayout::kInt8) {
      return static_cast<std::int8_t>(m_.codes[row * m_.columns + k]);
    } else if constexpr (kLayout == CodeLayout::kAlongColumns) {
      const std::uint8_t* words = m_.codes + row * WordsOf(m_.columns, m_.bits) * 4;
      return BitStream{words, 1, m_.bits}.At(k);
    } else if constexpr (kLayout == CodeLayout::kAlongRows) {
      return BitStream{m_.codes + row * 4, m_.rows, m_.bits}.At(k);
    } else {
      return AwqNibble(m_.codes, k, row, m_.rows);
    }
  }

  template <CodeLayout kLayout>
  float Element(std::int64_t r, std::int64_t k) const {
    const auto at =
        static_cast<std::size_t>(r * m_.groups + group_of_column_[static_cast<std::size_t>(k)]);
    if constexpr (kLayout == CodeLayout::kFloat8) {
      return Float8E4M3(m_.codes[(first_ + r) * m_.columns + k]) * scales_[at];
    } else {
      return static_cast<float>(Code<kLayout>(first_ + r, k) - zeros_[at]) * scales_[at];
    }
  }

  template <CodeLayout kLayout>
  void WriteRows(float* out) const {
    for (std::int64_t r = 0; r < count_; ++r) {
      for (std::int64_t k = 0; k < m_.columns; ++k) {
        out[r * m_.columns + k] = Element<kLayout>(r, k);
      }
    }
  }

  // The codes of neighbouring rows lie beside each other.
  template <CodeLayout kLayout>
  void WriteColumns(float* out) const {
    for (std::int64_t k = 0; k < m_.columns; ++k) {
      for (std::int64_t r = 0; r < count_; ++r) {
        out[r * m_.columns + k] = Element<kLayout>(r, k);
      }
    }
  }

  const QuantizedMatrix& m_;
  const std::int64_t first_, count_;
  std::vector<float> scales_;  // [count, groups]
  std::vector<std::int32_t> zeros_;
  std::vector<std::int32_t> group_of_column_;
};

}  // namespace

float Float8E4M3(std::uint8_t code) {
  return Float8Table()[code];
}

std::int64_t ScaleBytes(ScaleType type) {
  if (type == ScaleType::kF32) return 4;
  return type == ScaleType::kF16 || type == ScaleType::kBF16 ? 2 : 1;
}

void ReadScales(const std::uint8_t* data, ScaleType type, std::int64_t count, float* out) {
  switch (type) {
    case ScaleType::kF32:
      DequantizeF32(data, count, out);
      return;
    case ScaleType::kF16:
      DequantizeF16(data, count, out);
      return;
    case ScaleType::kBF16:
      DequantizeBF16(data, count, out);
      return;
    case ScaleType::kF8E4M3:
      for (std::int64_t i = 0; i < count; ++i) out[i] = Float8E4M3(data[i]);
      return;
    case ScaleType::kF8E8M0:
      for (std::int64_t i = 0; i < count; ++i) out[i] = Float8E8M0(data[i]);
      return;
  }
}

std::int32_t QuantizedMatrix::ZeroAt(std::int64_t row, std::int64_t group) const {
  switch (zero_layout) {
    case ZeroLayout::kConstant:
      return zero;
    case ZeroLayout::kInt8:
      return zero + static_cast<std::int8_t>(zeros[row * groups + group]);
    case ZeroLayout::kDownRows:
      return zero + BitStream{zeros + group * 4, groups, bits}.At(row);
    case ZeroLayout::kAlongRows: {
      const std::uint8_t* words = zeros + group * WordsOf(rows, bits) * 4;
      return zero + BitStream{words, 1, bits}.At(row);
    }
    case ZeroLayout::kAwq:
      return zero + AwqNibble(zeros, group, row, rows);
  }
  return 0;
}

void QuantizedMatrix::ReadRows(std::int64_t first, std::int64_t count, float* out) const {
  RowsOfMatrix(*this, first, count).Write(out);
}

}  // namespace sglrun::formats
