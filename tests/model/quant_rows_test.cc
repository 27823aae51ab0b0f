#include "model/weights/quant_rows.h"

#include <array>
#include <random>

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

using kernels::WeightForm;
using tensor::DType;

// A tensor of random codes in one form.
struct FakeTensor {
  static constexpr std::int64_t kRows = 3, kColumns = 64;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales, minima;
  TensorSource source;

  FakeTensor(const WeightForm& form, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      codes.push_back(static_cast<std::uint8_t>(random() % (form.dtype == DType::kI4 ? 16 : 256)));
    }
    for (std::int64_t i = 0; i < kRows * form.Groups(kColumns); ++i) {
      scales.push_back(static_cast<float>(random() % 1000) / 1024.0f);
      minima.push_back(-static_cast<float>(random() % 1000) / 512.0f);
    }
    source.shape = {kRows, kColumns};
    source.form = form;
    source.read_codes = [this, form](std::int64_t first, std::int64_t count,
                                     const formats::QuantOut& out) {
      std::copy_n(codes.data() + first * kColumns, count * kColumns, out.codes);
      const std::int64_t groups = form.Groups(kColumns);
      std::copy_n(scales.data() + first * groups, count * groups, out.scales);
      if (form.quant.minima) {
        std::copy_n(minima.data() + first * groups, count * groups, out.minima);
      }
    };
  }
};

float ValueOf(const WeightForm& form, const std::uint8_t* codes, const float* scales,
              const float* minima, std::int64_t row, std::int64_t i) {
  const std::int64_t group = row * form.Groups(FakeTensor::kColumns) + i / form.quant.group;
  const float value =
      scales[group] * static_cast<float>(codes[row * FakeTensor::kColumns + i] - form.zero());
  return form.quant.minima ? value + minima[group] : value;
}

TEST_CASE("rows in the common form of two formats keep their values") {
  const std::array<WeightForm, 6> forms = {
      WeightForm(DType::kI4, {32, false, false}),
      WeightForm(DType::kI4, {32, false, true}),
      WeightForm(DType::kI8),
      WeightForm(DType::kI4, {32, true, true}),   // Q4_K
      WeightForm(DType::kI8, {16, true, false}),  // Q6_K
      WeightForm(DType::kI8, {32, true, true}),   // Q5_K
  };
  for (const WeightForm& from : forms) {
    for (const WeightForm& other : forms) {
      const WeightForm to = CommonForm(from, other);
      CHECK(to == CommonForm(other, from));
      const FakeTensor tensor(from, 7);
      QuantRows rows;
      rows.Read(tensor.source, 1, 2, to);
      int different = 0;
      for (std::int64_t row = 0; row < 2; ++row) {
        for (std::int64_t i = 0; i < FakeTensor::kColumns; ++i) {
          const float want = ValueOf(from, tensor.codes.data(), tensor.scales.data(),
                                     tensor.minima.data(), row + 1, i);
          const float got = ValueOf(to, rows.codes(), rows.scales(), rows.minima(), row, i);
          if (got != want) ++different;
        }
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("a matrix of quantised tensors keeps their integers, one of floats is quantised") {
  const FakeTensor q4(WeightForm(DType::kI4), 1), q8(WeightForm(DType::kI8), 2);
  TensorSource floats;
  floats.shape = {3, 64};
  using Sources = std::vector<const TensorSource*>;
  CHECK(FormOf(Sources{&q4.source, &q4.source}, DType::kI8) == WeightForm(DType::kI4));
  CHECK(FormOf(Sources{&q4.source, &q8.source}, DType::kI4) ==
        WeightForm(DType::kI8, {32, false, true}));
  CHECK(FormOf(Sources{&floats, &floats}, DType::kI4) == WeightForm(DType::kI4));
  CHECK(FormOf(Sources{&q4.source, &floats}, DType::kI4) == WeightForm(DType::kBF16));
}

}  // namespace
}  // namespace sglrun::model
