// The quantised block formats of GGUF: how the integers and scales of one block are taken out of
// its bytes. Float32 values and packed codes are computed from them (weight_format.cc).
//
// Each format names the form its codes have: w = scale * (code - zero) + minimum, as in
// kernels/packed_weight.h. Products of a float16 scale and a small integer scale are exact in
// float32, so nothing is rounded on the way. Layouts are those of ggml.
// Source bytes are little-endian and need no alignment.
#pragma once

#include <cstdint>
#include <cstring>

#include "formats/dequantize.h"
#include "formats/weight_format.h"
#include "kernels/packed_weight.h"

namespace sglrun::formats {

inline constexpr kernels::WeightForm kFourBits{tensor::DType::kI4, {32, false, false}};
inline constexpr kernels::WeightForm kFourBitsMinima{tensor::DType::kI4, {32, false, true}};
inline constexpr kernels::WeightForm kEightBits{tensor::DType::kI8};
inline constexpr kernels::WeightForm kEightBitsMinima{tensor::DType::kI8, {32, false, true}};
inline constexpr kernels::WeightForm kEightBitsWide{tensor::DType::kI8, {32, true, false}};

// In a 32-block the low nibble of byte j is element j, the high one element j + 16.
inline void UnpackNibbles(const std::uint8_t* in, std::uint8_t* codes) {
  for (int j = 0; j < 16; ++j) {
    codes[j] = in[j] & 15;
    codes[j + 16] = in[j] >> 4;
  }
}

// The fifth bits of a 32-block, bit j for element j, above its nibbles.
inline void AddFifthBits(std::uint32_t high, std::uint8_t* codes) {
  for (int j = 0; j < 32; ++j) {
    codes[j] = static_cast<std::uint8_t>(codes[j] | ((high >> j) & 1) << 4);
  }
}

// A code that counts from `middle` as one that counts from 128.
inline void CenterAt128(std::uint8_t* codes, int count, int middle) {
  for (int j = 0; j < count; ++j) codes[j] = static_cast<std::uint8_t>(codes[j] + 128 - middle);
}

struct BlockQ4_0 {
  static constexpr int kElements = 32, kBytes = 18;
  static constexpr kernels::WeightForm kForm = kFourBits;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    UnpackNibbles(in + 2, out.codes);
  }
};

struct BlockQ4_1 {
  static constexpr int kElements = 32, kBytes = 20;
  static constexpr kernels::WeightForm kForm = kFourBitsMinima;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    out.minima[0] = LoadHalf(in + 2);
    UnpackNibbles(in + 4, out.codes);
  }
};

struct BlockQ5_0 {
  static constexpr int kElements = 32, kBytes = 22;
  static constexpr kernels::WeightForm kForm = kEightBits;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    UnpackNibbles(in + 6, out.codes);
    AddFifthBits(LoadUnaligned<std::uint32_t>(in + 2), out.codes);
    CenterAt128(out.codes, 32, 16);
  }
};

struct BlockQ5_1 {
  static constexpr int kElements = 32, kBytes = 24;
  static constexpr kernels::WeightForm kForm = kEightBitsMinima;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    out.minima[0] = LoadHalf(in + 2);
    UnpackNibbles(in + 8, out.codes);
    AddFifthBits(LoadUnaligned<std::uint32_t>(in + 4), out.codes);
  }
};

struct BlockQ8_0 {
  static constexpr int kElements = 32, kBytes = 34;
  static constexpr kernels::WeightForm kForm = kEightBits;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    std::memcpy(out.codes, in + 2, 32);
    CenterAt128(out.codes, 32, 0);  // signed bytes: + 128 modulo 256
  }
};

// The values behind the codes of IQ4_NL and IQ4_XS.
inline constexpr std::int8_t kIQ4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

inline void LookUp(const std::int8_t (&values)[16], std::uint8_t* codes, int count) {
  for (int j = 0; j < count; ++j) codes[j] = static_cast<std::uint8_t>(values[codes[j]] + 128);
}

struct BlockIQ4_NL {
  static constexpr int kElements = 32, kBytes = 18;
  static constexpr kernels::WeightForm kForm = kEightBits;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    out.scales[0] = LoadHalf(in);
    UnpackNibbles(in + 2, out.codes);
    LookUp(kIQ4Values, out.codes, 32);
  }
};

struct BlockMXFP4 {
  static constexpr int kElements = 32, kBytes = 17;
  static constexpr kernels::WeightForm kForm = kEightBitsWide;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    // Twice the e2m1 values, so that they are whole numbers; the scale is halved to match.
    static constexpr std::int8_t kDoubled[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                 0, -1, -2, -3, -4, -6, -8, -12};
    // 2^(e - 128): below e = 2 the half scale is a subnormal float32.
    const std::uint32_t e = in[0];
    out.scales[0] = std::bit_cast<float>(e < 2 ? std::uint32_t{0x00200000} << e : (e - 1) << 23);
    UnpackNibbles(in + 1, out.codes);
    LookUp(kDoubled, out.codes, 32);
  }
};

}  // namespace sglrun::formats
