// Super-blocks of 256 weights: float16 scales of the whole block times small integer scales of its
// parts.
#include "model/formats/dequantize.h"

namespace sglrun::model {
namespace {

struct ScaleAndMin {
  int scale;
  int min;
};

// Q4_K and Q5_K pack eight 6-bit scales and eight 6-bit minima into 12 bytes: the first four of
// each in the low bits of s[0..7], the others in the nibbles of s[8..11] with their top bits in the
// top bits of s[0..7].
ScaleAndMin UnpackScale6(const std::uint8_t* s, int j) {
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | ((s[j - 4] >> 6) << 4), (s[j + 4] >> 4) | ((s[j] >> 6) << 4)};
}

// Scale k of Q3_K: low nibbles in s[0..7], two high bits in s[8..11], offset 32.
int UnpackScaleQ3(const std::uint8_t* s, int k) {
  const int low = k < 8 ? s[k] & 15 : s[k - 8] >> 4;
  const int high = (s[8 + k % 4] >> (2 * (k / 4))) & 3;
  return (low | (high << 4)) - 32;
}

}  // namespace

void DequantizeQ2_K(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 84) {
    const std::uint8_t* scales = in;
    const float d = LoadHalf(in + 80);
    const float dmin = LoadHalf(in + 82);
    for (int group = 0; group < 16; ++group, out += 16) {
      const int half = group / 8, shift = group % 8 / 2 * 2, part = group % 2;
      const std::uint8_t* qs = in + 16 + 32 * half + 16 * part;
      const float scale = d * static_cast<float>(scales[group] & 15);
      const float min = dmin * static_cast<float>(scales[group] >> 4);
      for (int l = 0; l < 16; ++l) {
        out[l] = scale * static_cast<float>((qs[l] >> shift) & 3) - min;
      }
    }
  }
}

void DequantizeQ3_K(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 110) {
    const float d = LoadHalf(in + 108);
    for (int group = 0; group < 16; ++group, out += 16) {
      const int half = group / 8, step = group % 8 / 2, part = group % 2;
      const std::uint8_t* hmask = in + 16 * part;
      const std::uint8_t* qs = in + 32 + 32 * half + 16 * part;
      const float scale = d * static_cast<float>(UnpackScaleQ3(in + 96, group));
      const int mask_bit = 4 * half + step;
      for (int l = 0; l < 16; ++l) {
        const int low = (qs[l] >> (2 * step)) & 3;
        const int high = (hmask[l] >> mask_bit) & 1;
        out[l] = scale * static_cast<float>(low + 4 * high - 4);
      }
    }
  }
}

void DequantizeQ4_K(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 144) {
    const float d = LoadHalf(in);
    const float dmin = LoadHalf(in + 2);
    for (int j = 0; j < 8; ++j, out += 32) {
      const ScaleAndMin sm = UnpackScale6(in + 4, j);
      const float scale = d * static_cast<float>(sm.scale);
      const float min = dmin * static_cast<float>(sm.min);
      const std::uint8_t* qs = in + 16 + 32 * (j / 2);
      const int shift = 4 * (j % 2);
      for (int l = 0; l < 32; ++l) {
        out[l] = scale * static_cast<float>((qs[l] >> shift) & 15) - min;
      }
    }
  }
}

void DequantizeQ5_K(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 176) {
    const float d = LoadHalf(in);
    const float dmin = LoadHalf(in + 2);
    const std::uint8_t* qh = in + 16;
    for (int j = 0; j < 8; ++j, out += 32) {
      const ScaleAndMin sm = UnpackScale6(in + 4, j);
      const float scale = d * static_cast<float>(sm.scale);
      const float min = dmin * static_cast<float>(sm.min);
      const std::uint8_t* qs = in + 48 + 32 * (j / 2);
      const int shift = 4 * (j % 2);
      for (int l = 0; l < 32; ++l) {
        const int q = ((qs[l] >> shift) & 15) | (((qh[l] >> j) & 1) << 4);
        out[l] = scale * static_cast<float>(q) - min;
      }
    }
  }
}

void DequantizeQ6_K(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 210) {
    const float d = LoadHalf(in + 208);
    for (int group = 0; group < 16; ++group, out += 16) {
      const int half = group / 8, quarter = group % 8 / 2, part = group % 2;
      const std::uint8_t* ql = in + 64 * half + 32 * (quarter % 2) + 16 * part;
      const std::uint8_t* qh = in + 128 + 32 * half + 16 * part;
      const int low_shift = 4 * (quarter / 2), high_shift = 2 * quarter;
      const auto scale8 = static_cast<std::int8_t>(in[192 + group]);
      const float scale = d * static_cast<float>(scale8);
      for (int l = 0; l < 16; ++l) {
        const int q = ((ql[l] >> low_shift) & 15) | (((qh[l] >> high_shift) & 3) << 4);
        out[l] = scale * static_cast<float>(q - 32);
      }
    }
  }
}

void DequantizeIQ4_XS(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 136) {
    const float d = LoadHalf(in);
    const auto scales_high = LoadUnaligned<std::uint16_t>(in + 2);
    for (int j = 0; j < 8; ++j, out += 32) {
      const int low = (in[4 + j / 2] >> (4 * (j % 2))) & 15;
      const int high = (scales_high >> (2 * j)) & 3;
      const float scale = d * static_cast<float>((low | (high << 4)) - 32);
      const std::uint8_t* qs = in + 8 + 16 * j;
      for (int l = 0; l < 16; ++l) {
        out[l] = scale * static_cast<float>(kIQ4Values[qs[l] & 15]);
        out[l + 16] = scale * static_cast<float>(kIQ4Values[qs[l] >> 4]);
      }
    }
  }
}

}  // namespace sglrun::model
