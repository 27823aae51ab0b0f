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

}  // namespace sglrun::model
