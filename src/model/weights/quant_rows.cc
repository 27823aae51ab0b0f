#include "model/weights/quant_rows.h"

#include <algorithm>

#include "base/check.h"

namespace sglrun::model {

using kernels::WeightForm;
using tensor::DType;

WeightForm CommonForm(const WeightForm& a, const WeightForm& b) {
  return {a.dtype == DType::kI4 && b.dtype == DType::kI4 ? DType::kI4 : DType::kI8,
          {.group = std::min(a.quant.group, b.quant.group),
           .wide_scales = a.quant.wide_scales || b.quant.wide_scales,
           .minima = a.quant.minima || b.quant.minima}};
}

WeightForm FormOf(std::span<const TensorSource* const> sources, const WeightForm& for_floats) {
  CHECK(!sources.empty());
  std::optional<WeightForm> form;
  std::size_t quantized = 0;
  for (const TensorSource* source : sources) {
    if (!source->form) continue;
    ++quantized;
    form = form ? CommonForm(*form, *source->form) : *source->form;
  }
  if (quantized == 0) return for_floats;
  return quantized == sources.size() ? *form : WeightForm(DType::kBF16);
}

void QuantRows::Read(const TensorSource& source, std::int64_t first, std::int64_t count,
                     const WeightForm& to) {
  const WeightForm from = *source.form;
  const std::int64_t columns = source.shape[1];
  const auto groups = static_cast<std::size_t>(count * from.Groups(columns));
  codes_.resize(static_cast<std::size_t>(count * columns));
  scales_.resize(groups);
  minima_.resize(from.quant.minima ? groups : 0);
  source.read_codes(first, count,
                    {codes_.data(), scales_.data(), minima_.empty() ? nullptr : minima_.data()});
  if (!(from == to)) Widen(from, to);
}

// Each step keeps the values: powers of two times a scale are exact.
void QuantRows::Widen(const WeightForm& from, const WeightForm& to) {
  if (to.quant.minima && !from.quant.minima) {
    minima_.resize(scales_.size());
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      minima_[i] = -static_cast<float>(from.zero()) * scales_[i];
    }
  } else if (to.zero() != from.zero()) {
    for (std::uint8_t& code : codes_) {
      code = static_cast<std::uint8_t>(code + to.zero() - from.zero());
    }
  }
  if (to.quant.group == from.quant.group) return;
  const auto twice = [](std::vector<float>& values) {
    std::vector<float> doubled;
    doubled.reserve(2 * values.size());
    for (const float value : values) doubled.insert(doubled.end(), 2, value);
    values = std::move(doubled);
  };
  twice(scales_);
  twice(minima_);
}

}  // namespace sglrun::model
