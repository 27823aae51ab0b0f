// How weight elements are stored in a file: safetensors dtypes and the block formats of GGUF, by
// name. A block of `block_elements` weights takes `block_bytes`; plain types are blocks of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/packed_weight.h"

namespace sglrun::formats {

// Integers and scales of quantised blocks, in the order of the elements.
struct QuantOut {
  std::uint8_t* codes = nullptr;
  float* scales = nullptr;
  float* minima = nullptr;  // may be null where the form has none
};

struct WeightFormat {
  std::string_view name;
  std::int64_t block_elements = 1;
  std::int64_t block_bytes = 0;
  // float32 values of `count` blocks. Source bytes need no alignment. The arithmetic is float32 in
  // the order of the reference (ggml), so that the values are the reference's bits.
  void (*dequantize)(const std::uint8_t* blocks, std::int64_t count, float* out) = nullptr;
  // For quantised formats: the form of their codes, and the codes of `count` blocks.
  std::optional<kernels::WeightForm> form = std::nullopt;
  void (*unpack)(const std::uint8_t* blocks, std::int64_t count, const QuantOut& out) = nullptr;
};

// nullptr if weights of that type are not supported.
const WeightFormat* FindWeightFormat(std::string_view name);

// "F32, F16, BF16, ..." for error messages.
std::string WeightFormatNames();

}  // namespace sglrun::formats
