#include "kernels/cuda/quant_weight.h"

#include <cstring>

#include "tensor/dtype.h"

namespace sglrun::kernels::cuda {

QuantPlaces::QuantPlaces(const Weight& weight)
    : groups((weight.k + weight.group - 1) / weight.group),
      row_bytes(static_cast<std::size_t>(PaddedQuantK(weight.k)) /
                (weight.type == WeightType::kI4 ? 2 : 1)),
      scale_bytes(weight.wide_scales ? 4 : 2),
      scales(static_cast<std::size_t>(weight.n) * row_bytes),
      minima(scales + static_cast<std::size_t>(weight.n * groups) * scale_bytes),
      bytes(minima +
            (weight.minima ? static_cast<std::size_t>(weight.n * groups) * scale_bytes : 0)) {}

void EncodeCodes(const Weight& weight, const std::uint8_t* codes, std::int64_t count,
                 std::uint8_t* to) {
  const QuantPlaces places(weight);
  std::memset(to, 0, static_cast<std::size_t>(count) * places.row_bytes);
  for (std::int64_t r = 0; r < count; ++r, to += places.row_bytes, codes += weight.k) {
    for (std::int64_t i = 0; i < weight.k; ++i) {
      if (weight.type == WeightType::kI8) {
        to[PlaceOfByte(i).byte] = codes[i] ^ 0x80u;
      } else {
        const CodePlace place = PlaceOfHalfByte(i);
        to[place.byte] |= static_cast<std::uint8_t>(codes[i] << place.shift);
      }
    }
  }
}

void EncodeScales(const Weight& weight, const float* values, std::int64_t count, std::uint8_t* to) {
  const std::int64_t all = count * QuantPlaces(weight).groups;
  if (weight.wide_scales) {
    std::memcpy(to, values, static_cast<std::size_t>(all) * sizeof(float));
    return;
  }
  for (std::int64_t i = 0; i < all; ++i) {
    const std::uint16_t half = tensor::FloatToF16(values[i]);
    std::memcpy(to + 2 * i, &half, sizeof half);
  }
}

}  // namespace sglrun::kernels::cuda
