// Super-blocks of 256 weights: float16 scales of the whole block times small integer scales of its
// groups of 16 or 32.
#pragma once

#include "formats/quant_blocks.h"

namespace sglrun::formats {

struct ScaleAndMin {
  int scale;
  int min;
};

// Q4_K and Q5_K pack eight 6-bit scales and eight 6-bit minima into 12 bytes: the first four of
// each in the low bits of s[0..7], the others in the nibbles of s[8..11] with their top bits in the
// top bits of s[0..7].
inline ScaleAndMin UnpackScale6(const std::uint8_t* s, int j) {
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | ((s[j - 4] >> 6) << 4), (s[j + 4] >> 4) | ((s[j] >> 6) << 4)};
}

// Scale k of Q3_K: low nibbles in s[0..7], two high bits in s[8..11], offset 32.
inline int UnpackScaleQ3(const std::uint8_t* s, int k) {
  const int low = k < 8 ? s[k] & 15 : s[k - 8] >> 4;
  const int high = (s[8 + k % 4] >> (2 * (k / 4))) & 3;
  return (low | (high << 4)) - 32;
}

struct BlockQ2_K {
  static constexpr int kElements = 256, kBytes = 84;
  static constexpr kernels::WeightForm kForm{tensor::DType::kI4, {16, true, true}};
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in + 80);
    const float dmin = LoadHalf(in + 82);
    for (int group = 0; group < 16; ++group) {
      const int half = group / 8, shift = group % 8 / 2 * 2, part = group % 2;
      const std::uint8_t* qs = in + 16 + 32 * half + 16 * part;
      out.scales[group] = d * static_cast<float>(in[group] & 15);
      out.minima[group] = -(dmin * static_cast<float>(in[group] >> 4));
      std::uint8_t* codes = out.codes + 16 * group;
      for (int l = 0; l < 16; ++l) codes[l] = (qs[l] >> shift) & 3;
    }
  }
};

struct BlockQ3_K {
  static constexpr int kElements = 256, kBytes = 110;
  static constexpr kernels::WeightForm kForm{tensor::DType::kI4, {16, true, false}};
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in + 108);
    for (int group = 0; group < 16; ++group) {
      const int half = group / 8, step = group % 8 / 2, part = group % 2;
      const std::uint8_t* hmask = in + 16 * part;
      const std::uint8_t* qs = in + 32 + 32 * half + 16 * part;
      out.scales[group] = d * static_cast<float>(UnpackScaleQ3(in + 96, group));
      const int mask_bit = 4 * half + step;
      std::uint8_t* codes = out.codes + 16 * group;
      for (int l = 0; l < 16; ++l) {
        const int low = (qs[l] >> (2 * step)) & 3;
        const int high = (hmask[l] >> mask_bit) & 1;
        codes[l] = static_cast<std::uint8_t>(low + 4 * high - 4 + 8);
      }
    }
  }
};

struct BlockQ4_K {
  static constexpr int kElements = 256, kBytes = 144;
  static constexpr kernels::WeightForm kForm{tensor::DType::kI4, {32, true, true}};
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in);
    const float dmin = LoadHalf(in + 2);
    for (int j = 0; j < 8; ++j) {
      const ScaleAndMin sm = UnpackScale6(in + 4, j);
      out.scales[j] = d * static_cast<float>(sm.scale);
      out.minima[j] = -(dmin * static_cast<float>(sm.min));
      const std::uint8_t* qs = in + 16 + 32 * (j / 2);
      const int shift = 4 * (j % 2);
      std::uint8_t* codes = out.codes + 32 * j;
      for (int l = 0; l < 32; ++l) codes[l] = (qs[l] >> shift) & 15;
    }
  }
};

struct BlockQ5_K {
  static constexpr int kElements = 256, kBytes = 176;
  static constexpr kernels::WeightForm kForm{tensor::DType::kI8, {32, true, true}};
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in);
    const float dmin = LoadHalf(in + 2);
    const std::uint8_t* qh = in + 16;
    for (int j = 0; j < 8; ++j) {
      const ScaleAndMin sm = UnpackScale6(in + 4, j);
      out.scales[j] = d * static_cast<float>(sm.scale);
      out.minima[j] = -(dmin * static_cast<float>(sm.min));
      const std::uint8_t* qs = in + 48 + 32 * (j / 2);
      const int shift = 4 * (j % 2);
      std::uint8_t* codes = out.codes + 32 * j;
      for (int l = 0; l < 32; ++l) {
        codes[l] = static_cast<std::uint8_t>(((qs[l] >> shift) & 15) | (((qh[l] >> j) & 1) << 4));
      }
    }
  }
};

struct BlockQ6_K {
  static constexpr int kElements = 256, kBytes = 210;
  static constexpr kernels::WeightForm kForm{tensor::DType::kI8, {16, true, false}};
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in + 208);
    for (int group = 0; group < 16; ++group) {
      const int half = group / 8, quarter = group % 8 / 2, part = group % 2;
      const std::uint8_t* ql = in + 64 * half + 32 * (quarter % 2) + 16 * part;
      const std::uint8_t* qh = in + 128 + 32 * half + 16 * part;
      const int low_shift = 4 * (quarter / 2), high_shift = 2 * quarter;
      out.scales[group] = d * static_cast<float>(static_cast<std::int8_t>(in[192 + group]));
      std::uint8_t* codes = out.codes + 16 * group;
      for (int l = 0; l < 16; ++l) {
        const int q = ((ql[l] >> low_shift) & 15) | (((qh[l] >> high_shift) & 3) << 4);
        codes[l] = static_cast<std::uint8_t>(q - 32 + 128);
      }
    }
  }
};

struct BlockIQ4_XS {
  static constexpr int kElements = 256, kBytes = 136;
  static constexpr kernels::WeightForm kForm = kEightBitsWide;
  static void Unpack(const std::uint8_t* in, const QuantOut& out) {
    const float d = LoadHalf(in);
    const auto scales_high = LoadUnaligned<std::uint16_t>(in + 2);
    for (int j = 0; j < 8; ++j) {
      const int low = (in[4 + j / 2] >> (4 * (j % 2))) & 15;
      const int high = (scales_high >> (2 * j)) & 3;
      out.scales[j] = d * static_cast<float>((low | (high << 4)) - 32);
      UnpackNibbles(in + 8 + 16 * j, out.codes + 32 * j);
    }
    LookUp(kIQ4Values, out.codes, 256);
  }
};

}  // namespace sglrun::formats
