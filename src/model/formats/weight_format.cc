#include "model/formats/weight_format.h"

#include "model/formats/dequantize.h"

namespace sglrun::model {
namespace {

constexpr WeightFormat kFormats[] = {
    {"F32", 1, 4, DequantizeF32},         {"F16", 1, 2, DequantizeF16},
    {"BF16", 1, 2, DequantizeBF16},       {"F64", 1, 8, DequantizeF64},
    {"Q4_0", 32, 18, DequantizeQ4_0},     {"Q4_1", 32, 20, DequantizeQ4_1},
    {"Q5_0", 32, 22, DequantizeQ5_0},     {"Q5_1", 32, 24, DequantizeQ5_1},
    {"Q8_0", 32, 34, DequantizeQ8_0},     {"Q2_K", 256, 84, DequantizeQ2_K},
    {"Q3_K", 256, 110, DequantizeQ3_K},   {"Q4_K", 256, 144, DequantizeQ4_K},
    {"Q5_K", 256, 176, DequantizeQ5_K},   {"Q6_K", 256, 210, DequantizeQ6_K},
    {"IQ4_NL", 32, 18, DequantizeIQ4_NL}, {"IQ4_XS", 256, 136, DequantizeIQ4_XS},
    {"MXFP4", 32, 17, DequantizeMXFP4},
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

}  // namespace sglrun::model
