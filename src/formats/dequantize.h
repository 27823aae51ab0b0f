// float32 values of the plain formats, the loops of WeightFormat::dequantize, and the loads that
// all formats use. Little-endian source bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace sglrun::formats {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian");

void DequantizeF32(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeF64(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeF16(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeBF16(const std::uint8_t* in, std::int64_t count, float* out);

template <class T>
T LoadUnaligned(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// float16 without branches, so that loops over it become vector code (tensor::F16ToFloat is the
// plain form; a test compares them on all 65536 values). Both arms are computed and one is kept:
// subnormals are mantissa * 2^-24, normals move the exponent by 127 - 15 = 112, infinities and NaN
// by as much again.
inline float HalfToFloat(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7FFFu;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const auto small = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t large = normal + (magnitude >= 0x7C00u ? 112u << 23 : 0u);
  return std::bit_cast<float>(sign | (magnitude < 0x0400u ? small : large));
}

inline float LoadHalf(const std::uint8_t* bytes) {
  return HalfToFloat(LoadUnaligned<std::uint16_t>(bytes));
}

}  // namespace sglrun::formats
