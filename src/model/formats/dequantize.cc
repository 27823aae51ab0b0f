#include "model/formats/dequantize.h"

#include "tensor/dtype.h"

namespace sglrun::model {

void DequantizeF32(const std::uint8_t* in, std::int64_t count, float* out) {
  std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(float));
}

void DequantizeF64(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(LoadUnaligned<double>(in + 8 * i));
  }
}

void DequantizeF16(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = LoadHalf(in + 2 * i);
}

void DequantizeBF16(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = tensor::BF16ToFloat(LoadUnaligned<std::uint16_t>(in + 2 * i));
  }
}

// In a 32-block the low nibble of byte j is element j, the high one element j + 16.

void DequantizeQ4_0(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 18, out += 32) {
    const float d = LoadHalf(in);
    for (int j = 0; j < 16; ++j) {
      out[j] = d * static_cast<float>((in[2 + j] & 15) - 8);
      out[j + 16] = d * static_cast<float>((in[2 + j] >> 4) - 8);
    }
  }
}

void DequantizeQ4_1(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 20, out += 32) {
    const float d = LoadHalf(in);
    const float m = LoadHalf(in + 2);
    for (int j = 0; j < 16; ++j) {
      out[j] = d * static_cast<float>(in[4 + j] & 15) + m;
      out[j + 16] = d * static_cast<float>(in[4 + j] >> 4) + m;
    }
  }
}

void DequantizeQ5_0(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 22, out += 32) {
    const float d = LoadHalf(in);
    const auto high = LoadUnaligned<std::uint32_t>(in + 2);
    for (int j = 0; j < 16; ++j) {
      const int first = (in[6 + j] & 15) | static_cast<int>(((high >> j) & 1) << 4);
      const int second = (in[6 + j] >> 4) | static_cast<int>(((high >> (j + 16)) & 1) << 4);
      out[j] = d * static_cast<float>(first - 16);
      out[j + 16] = d * static_cast<float>(second - 16);
    }
  }
}

void DequantizeQ5_1(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 24, out += 32) {
    const float d = LoadHalf(in);
    const float m = LoadHalf(in + 2);
    const auto high = LoadUnaligned<std::uint32_t>(in + 4);
    for (int j = 0; j < 16; ++j) {
      const int first = (in[8 + j] & 15) | static_cast<int>(((high >> j) & 1) << 4);
      const int second = (in[8 + j] >> 4) | static_cast<int>(((high >> (j + 16)) & 1) << 4);
      out[j] = d * static_cast<float>(first) + m;
      out[j + 16] = d * static_cast<float>(second) + m;
    }
  }
}

void DequantizeQ8_0(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 34, out += 32) {
    const float d = LoadHalf(in);
    for (int j = 0; j < 32; ++j) {
      out[j] = d * static_cast<float>(static_cast<std::int8_t>(in[2 + j]));
    }
  }
}

void DequantizeIQ4_NL(const std::uint8_t* in, std::int64_t count, float* out) {
  for (std::int64_t b = 0; b < count; ++b, in += 18, out += 32) {
    const float d = LoadHalf(in);
    for (int j = 0; j < 16; ++j) {
      out[j] = d * static_cast<float>(kIQ4Values[in[2 + j] & 15]);
      out[j + 16] = d * static_cast<float>(kIQ4Values[in[2 + j] >> 4]);
    }
  }
}

void DequantizeMXFP4(const std::uint8_t* in, std::int64_t count, float* out) {
  // Twice the e2m1 values, so that they are whole numbers; the scale is halved to match.
  static constexpr std::int8_t kDoubled[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                               0, -1, -2, -3, -4, -6, -8, -12};
  for (std::int64_t b = 0; b < count; ++b, in += 17, out += 32) {
    // 2^(e - 128): below e = 2 the half scale is a subnormal float32.
    const std::uint32_t e = in[0];
    const auto half_scale =
        std::bit_cast<float>(e < 2 ? std::uint32_t{0x00200000} << e : (e - 1) << 23);
    for (int j = 0; j < 16; ++j) {
      out[j] = half_scale * static_cast<float>(kDoubled[in[1 + j] & 15]);
      out[j + 16] = half_scale * static_cast<float>(kDoubled[in[1 + j] >> 4]);
    }
  }
}

}  // namespace sglrun::model
