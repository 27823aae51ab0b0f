// The loops behind WeightFormat::dequantize. Little-endian source bytes; out has block_elements *
// count floats. Layouts: models.md section 5, after the format document of ggml.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace sglrun::model {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian");

void DequantizeF32(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeF64(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeF16(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeBF16(const std::uint8_t* in, std::int64_t count, float* out);

// Blocks of 32.
void DequantizeQ4_0(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ4_1(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ5_0(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ5_1(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ8_0(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeIQ4_NL(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeMXFP4(const std::uint8_t* in, std::int64_t count, float* out);

// Super-blocks of 256.
void DequantizeQ2_K(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ3_K(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ4_K(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ5_K(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeQ6_K(const std::uint8_t* in, std::int64_t count, float* out);
void DequantizeIQ4_XS(const std::uint8_t* in, std::int64_t count, float* out);

// The 16 values of IQ4_NL and IQ4_XS codes.
inline constexpr std::int8_t kIQ4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

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

}  // namespace sglrun::model
