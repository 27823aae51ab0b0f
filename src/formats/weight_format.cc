#include "formats/weight_format.h"

#include "formats/dequantize.h"
#include "formats/quant_blocks.h"
#include "formats/quant_blocks_k.h"

namespace sglrun::formats {
namespace {

constexpr int kMostGroups = 16;  // of a block

template <class Block>
constexpr int kGroups = Block::kElements / Block::kForm.quant.group;

template <class Block>
void Dequantize(const std::uint8_t* in, std::int64_t count, float* out) {
  constexpr kernels::WeightForm kForm = Block::kForm;
  constexpr int kGroup = kForm.quant.group;
  for (std::int64_t b = 0; b < count; ++b, in += Block::kBytes) {
    std::uint8_t codes[Block::kElements];
    float scales[kMostGroups], minima[kMostGroups];
    Block::Unpack(in, {codes, scales, minima});
    for (int g = 0; g < kGroups<Block>; ++g, out += kGroup) {
      const std::uint8_t* group = codes + g * kGroup;
      for (int i = 0; i < kGroup; ++i) {
        const float value = scales[g] * static_cast<float>(group[i] - kForm.zero());
        out[i] = kForm.quant.minima ? value + minima[g] : value;
      }
    }
  }
}

template <class Block>
void Unpack(const std::uint8_t* in, std::int64_t count, const QuantOut& out) {
  for (std::int64_t b = 0; b < count; ++b, in += Block::kBytes) {
    const std::int64_t group = b * kGroups<Block>;
    Block::Unpack(in, {out.codes + b * Block::kElements, out.scales + group,
                       out.minima == nullptr ? nullptr : out.minima + group});
  }
}

constexpr WeightFormat Plain(std::string_view name, std::int64_t bytes,
                             void (*dequantize)(const std::uint8_t*, std::int64_t, float*)) {
  return {.name = name, .block_elements = 1, .block_bytes = bytes, .dequantize = dequantize};
}

template <class Block>
constexpr WeightFormat Quantized(std::string_view name) {
  static_assert(kGroups<Block> <= kMostGroups);
  return {.name = name,
          .block_elements = Block::kElements,
          .block_bytes = Block::kBytes,
          .dequantize = Dequantize<Block>,
          .form = Block::kForm,
          .unpack = Unpack<Block>};
}

constexpr WeightFormat kFormats[] = {
    Plain("F32", 4, DequantizeF32),   Plain("F16", 2, DequantizeF16),
    Plain("BF16", 2, DequantizeBF16), Plain("F64", 8, DequantizeF64),
    Quantized<BlockQ4_0>("Q4_0"),     Quantized<BlockQ4_1>("Q4_1"),
    Quantized<BlockQ5_0>("Q5_0"),     Quantized<BlockQ5_1>("Q5_1"),
    Quantized<BlockQ8_0>("Q8_0"),     Quantized<BlockQ2_K>("Q2_K"),
    Quantized<BlockQ3_K>("Q3_K"),     Quantized<BlockQ4_K>("Q4_K"),
    Quantized<BlockQ5_K>("Q5_K"),     Quantized<BlockQ6_K>("Q6_K"),
    Quantized<BlockIQ4_NL>("IQ4_NL"), Quantized<BlockIQ4_XS>("IQ4_XS"),
    Quantized<BlockMXFP4>("MXFP4"),
};

}  // namespace

const WeightFormat* FindWeightFormat(std::string_view name) {
  for (const WeightFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string WeightFormatNames() {
  std::string names;
  for (const WeightFormat& format : kFormats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

}  // namespace sglrun::formats
