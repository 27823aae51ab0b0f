#include "kernels/cuda/encode_rows.h"

#include <new>

#include "kernels/cuda/quant_weight.h"
#include "kernels/ref/ops.h"

namespace sglrun::kernels::cuda {
namespace {

WeightType TypeOf(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::kF32:
      return WeightType::kF32;
    case tensor::DType::kF16:
      return WeightType::kF16;
    case tensor::DType::kI8:
      return WeightType::kI8;
    case tensor::DType::kI4:
      return WeightType::kI4;
    default:
      return WeightType::kBF16;
  }
}

}  // namespace

Weight WeightOf(const PackedWeight& weight) {
  return {.data = weight.data.data(),
          .type = TypeOf(weight.dtype),
          .n = weight.n,
          .k = weight.k,
          .group = weight.quant.group,
          .wide_scales = weight.quant.wide_scales,
          .minima = weight.quant.minima};
}

std::vector<EncodedPart> EncodeRows(const PackCodesArgs& args) {
  const Weight weight = WeightOf(*args.weight);
  const QuantPlaces places(weight);
  const auto first = static_cast<std::size_t>(args.first_row);
  const auto rows = static_cast<std::size_t>(args.rows);
  const std::size_t scales_of_row = static_cast<std::size_t>(places.groups) * places.scale_bytes;
  std::vector<EncodedPart> parts(1);
  parts[0].at = first * places.row_bytes;
  parts[0].bytes.resize(rows * places.row_bytes);
  EncodeCodes(weight, args.codes, args.rows, parts[0].bytes.data());
  const auto add_scales = [&](std::size_t at, const float* values) {
    EncodedPart part{at + first * scales_of_row, std::vector<std::uint8_t>(rows * scales_of_row)};
    EncodeScales(weight, values, args.rows, part.bytes.data());
    parts.push_back(std::move(part));
  };
  add_scales(places.scales, args.scales);
  if (weight.minima) add_scales(places.minima, args.minima);
  return parts;
}

std::vector<EncodedPart> EncodeRows(const PackRowsArgs& args, KernelContext& context) {
  const std::int64_t rows = args.rows.shape[0];
  PackedWeight plain{
      rows, args.weight->k, args.weight->dtype,
      tensor::Buffer(tensor::HostAllocator(),
                     ref::PackedWeightBytes(rows, args.weight->k, args.weight->form())),
      args.weight->quant};
  if (!plain.data.ok()) throw std::bad_alloc();
  ref::PackRows({.weight = &plain, .first_row = 0, .rows = args.rows}, context);
  const ref::QuantRows from(plain);
  return EncodeRows({.weight = args.weight,
                     .first_row = args.first_row,
                     .rows = rows,
                     .codes = from.codes,
                     .scales = from.scales,
                     .minima = from.minima});
}

}  // namespace sglrun::kernels::cuda
