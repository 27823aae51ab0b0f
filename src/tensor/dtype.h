// Element types of tensors and the conversions between the small floats and float32.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sglrun::tensor {

// kI8 and kI4 are the integers of quantised weights, whose scales are stored separately
// (kernels/packed_weight.h).
enum class DType : std::uint8_t { kF32, kBF16, kF16, kF64, kI32, kI8, kI4 };

// Bytes of one element; 0 for kI4, two of which share a byte.

constexpr std::size_t ElementSize(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF64:
      return 8;
    case DType::kBF16:
    case DType::kF16:
      return 2;
    case DType::kI8:
      return 1;
    case DType::kI4:
      return 0;
  }
  return 0;
}

const char* DTypeName(DType dtype);  // "f32", "bf16", "int8", ...

// bfloat16: the upper half of a float32 (same exponent range, 8 bits of precision).
constexpr float BF16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Round to nearest, ties to even; NaN stays NaN. The same bits as vcvtneps2bf16 for normal numbers.
constexpr std::uint16_t FloatToBF16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
}

// IEEE 754 binary16.
float F16ToFloat(std::uint16_t bits);
std::uint16_t FloatToF16(float value);

}  // namespace sglrun::tensor
