#include "formats/dequantize.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "formats/file_builders.h"
#include "formats/weight_format.h"
#include "tensor/dtype.h"

#include <doctest/doctest.h>

namespace sglrun::formats {
namespace {

std::string Golden(const std::string& name) {
  return Slurp(std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/dequant/" + name);
}

}  // namespace

TEST_CASE("every block format gives the bits that the gguf package gives") {
  for (const std::string name :
       {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K",
        "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"}) {
    CAPTURE(name);
    const WeightFormat* format = FindWeightFormat(name);
    REQUIRE(format != nullptr);
    const std::string blocks = Golden(name + ".in");
    const std::string expected = Golden(name + ".f32");
    const auto count = static_cast<std::int64_t>(blocks.size()) / format->block_bytes;
    REQUIRE(static_cast<std::size_t>(count * format->block_elements * 4) == expected.size());
    // Read from an odd address: files align nothing.
    const std::string shifted = "x" + blocks;
    std::vector<float> values(expected.size() / 4, -1.0f);
    format->dequantize(reinterpret_cast<const std::uint8_t*>(shifted.data()) + 1, count,
                       values.data());
    int different = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      float want = 0;
      std::memcpy(&want, expected.data() + 4 * i, 4);
      // Equal as numbers: -0 of a zero scale and 0 are the same weight.
      if (!(values[i] == want || (std::isnan(want) && std::isnan(values[i])))) ++different;
    }
    CHECK(different == 0);
  }
}

TEST_CASE("bf16 of any count, the last ones and no more") {
  std::vector<std::uint16_t> halves(19);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = static_cast<std::uint16_t>(0x3F80 + i);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(halves.data());
  for (std::size_t count = 0; count < halves.size(); ++count) {
    std::vector<float> values(halves.size(), -1.0f);
    DequantizeBF16(bytes, static_cast<std::int64_t>(count), values.data());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      CHECK_EQ(values[i], i < count ? tensor::BF16ToFloat(halves[i]) : -1.0f);
    }
  }
}

TEST_CASE("the codes of every block format stand for the dequantised values, to the bit") {
  for (const std::string name : {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K",
                                 "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"}) {
    CAPTURE(name);
    const WeightFormat* format = FindWeightFormat(name);
    REQUIRE(format->form.has_value());
    const kernels::WeightForm form = *format->form;
    const std::string blocks = "x" + Golden(name + ".in");
    const auto* data = reinterpret_cast<const std::uint8_t*>(blocks.data()) + 1;
    const auto count = static_cast<std::int64_t>(blocks.size() - 1) / format->block_bytes;
    const auto size = static_cast<std::size_t>(count * format->block_elements);
    const std::size_t group = static_cast<std::size_t>(form.quant.group);
    std::vector<float> values(size), scales(size / group), minima(size / group);
    std::vector<std::uint8_t> codes(size);
    format->dequantize(data, count, values.data());
    format->unpack(data, count, {codes.data(), scales.data(), minima.data()});
    int different = 0, too_large = 0, inexact = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const float scale = scales[i / group];
      float value = scale * static_cast<float>(codes[i] - form.zero());
      if (form.quant.minima) value += minima[i / group];
      if (!(value == values[i] || (std::isnan(value) && std::isnan(values[i])))) ++different;
      if (form.dtype == tensor::DType::kI4 && codes[i] > 15) ++too_large;
      // Where the form keeps float16 scales, they must be such.
      if (!form.quant.wide_scales && !std::isnan(scale) &&
          tensor::F16ToFloat(tensor::FloatToF16(scale)) != scale) {
        ++inexact;
      }
    }
    CHECK(different == 0);
    CHECK(too_large == 0);
    CHECK(inexact == 0);
  }
}

TEST_CASE("the branchless float16 conversion agrees with the plain one on all values") {
  int different = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    different += std::bit_cast<std::uint32_t>(HalfToFloat(half)) !=
                         std::bit_cast<std::uint32_t>(tensor::F16ToFloat(half))
                     ? 1
                     : 0;
  }
  CHECK(different == 0);
}

TEST_CASE("float64 weights are rounded to float32") {
  const std::string bytes = Bytes(1.0 / 3) + Bytes(-2.5);
  float out[2];
  DequantizeF64(reinterpret_cast<const std::uint8_t*>(bytes.data()), 2, out);
  CHECK(out[0] == 1.0f / 3);
  CHECK(out[1] == -2.5f);
}

TEST_CASE("integer types are no weights") {
  for (const char* name : {"I8", "I32", "I64", "U8", "BOOL", "F8_E4M3", "IQ2_XXS"}) {
    CAPTURE(name);
    CHECK(FindWeightFormat(name) == nullptr);
  }
}

}  // namespace sglrun::formats
