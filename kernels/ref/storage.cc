// Weights and cache pages of the reference: row-major, so that an index says everything.
#include <algorithm>
#include <cstring>

#include "kernels/common/round_head.h"
#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

using tensor::DType;

float LoadElement(const void* data, DType dtype, std::int64_t index) {
  if (dtype == DType::kF32) return static_cast<const float*>(data)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[index];
  return dtype == DType::kF16 ? tensor::F16ToFloat(bits) : tensor::BF16ToFloat(bits);
}

void StoreElement(void* data, DType dtype, std::int64_t index, float value) {
  if (dtype == DType::kF32) {
    static_cast<float*>(data)[index] = value;
  } else {
    static_cast<std::uint16_t*>(data)[index] =
        dtype == DType::kF16 ? tensor::FloatToF16(value) : tensor::FloatToBF16(value);
  }
}

QuantRows::QuantRows(const PackedWeight& weight)
    : form(weight.form()),
      k(weight.k),
      groups(form.Groups(k)),
      scales(static_cast<float*>(weight.data.data())),
      minima(scales + weight.n * groups),
      codes(reinterpret_cast<std::uint8_t*>(minima + weight.n * groups)) {}

float LoadWeight(const PackedWeight& weight, std::int64_t n, std::int64_t k) {
  if (!weight.form().quantized()) {
    return LoadElement(weight.data.data(), weight.dtype, n * weight.k + k);
  }
  const QuantRows rows(weight);
  const std::int64_t group = n * rows.groups + k / rows.form.quant.group;
  const std::int32_t code = rows.codes[n * rows.k + k] - rows.form.zero();
  const float value = rows.scales[group] * static_cast<float>(code);
  return rows.form.quant.minima ? value + rows.minima[group] : value;
}

std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form) {
  if (form.quantized()) return static_cast<std::size_t>(n * k + 8 * n * form.Groups(k));
  return static_cast<std::size_t>(n * k) * tensor::ElementSize(form.dtype);
}

void PackCodes(const PackCodesArgs& args, KernelContext&) {
  const QuantRows to(*args.weight);
  for (std::int64_t r = 0; r < args.rows; ++r) {
    const std::int64_t row = args.first_row + r;
    for (std::int64_t g = 0; g < to.groups; ++g) {
      to.scales[row * to.groups + g] = args.scales[r * to.groups + g];
      if (to.form.quant.minima) to.minima[row * to.groups + g] = args.minima[r * to.groups + g];
    }
    for (std::int64_t i = 0; i < to.k; ++i) to.codes[row * to.k + i] = args.codes[r * to.k + i];
  }
}

namespace {

template <int kVectors>
void PackQuantRow(const float* x, std::int64_t row, const QuantRows& to) {
  constexpr std::int64_t kSize = kVectors * kQuantLanes;
  for (std::int64_t g = 0; g < to.groups; ++g) {
    const std::int64_t begin = g * kSize, size = std::min(kSize, to.k - begin);
    float padded[kSize] = {};
    std::copy_n(x + begin, size, padded);
    QuantFloats group[kVectors];
    QuantInts codes[kVectors];
    std::memcpy(&group, padded, sizeof group);
    if (to.form.dtype == DType::kI4) {
      const ScaleAndMinimum kept = QuantizeInt4(group, codes);
      to.scales[row * to.groups + g] = kept.scale;
      to.minima[row * to.groups + g] = kept.minimum;
    } else {
      to.scales[row * to.groups + g] = QuantizeInt8(group, codes);
    }
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int32_t code = codes[i / kQuantLanes][i % kQuantLanes] + to.form.zero();
      to.codes[row * to.k + begin + i] = static_cast<std::uint8_t>(code);
    }
  }
}

}  // namespace

void PackRows(const PackRowsArgs& args, KernelContext&) {
  if (args.weight->form().quantized()) {
    const auto pack = args.weight->quant.group == 64 ? PackQuantRow<4> : PackQuantRow<2>;
    for (std::int64_t r = 0; r < args.rows.shape[0]; ++r) {
      pack(args.rows.row(r), args.first_row + r, QuantRows(*args.weight));
    }
    return;
  }
  const std::int64_t k = args.weight->k;
  for (std::int64_t r = 0; r < args.rows.shape[0]; ++r) {
    for (std::int64_t i = 0; i < k; ++i) {
      StoreElement(args.weight->data.data(), args.weight->dtype, (args.first_row + r) * k + i,
                   LoadElement(args.rows.data, args.rows.dtype, r * args.rows.stride[0] + i));
    }
  }
}

std::size_t KvPageBytes(const KvLayout& layout) {
  const std::int64_t heads = 2 * kPageSize * layout.num_kv_heads;
  const std::size_t scales = layout.dtype == DType::kI8 ? sizeof(float) : 0;
  return static_cast<std::size_t>(heads) *
         (static_cast<std::size_t>(layout.head_dim) * tensor::ElementSize(layout.dtype) + scales);
}

namespace {

// One head of one token: its page, and which of the page's heads it is.
struct HeadPlace {
  char* page;
  std::int64_t number;
};

HeadPlace PlaceOf(const KvCacheView& cache, KvPart part, std::int64_t slot, std::int64_t head) {
  const std::int64_t row = slot % kPageSize + (part == KvPart::kValues ? kPageSize : 0);
  char* page = static_cast<char*>(cache.data) +
               slot / kPageSize * static_cast<std::int64_t>(KvPageBytes(cache.layout));
  return {page, row * cache.layout.num_kv_heads + head};
}

float& ScaleAt(const KvLayout& layout, const HeadPlace& place) {
  const std::int64_t codes = 2 * kPageSize * layout.num_kv_heads * layout.head_dim;
  return reinterpret_cast<float*>(place.page + codes)[place.number];
}

}  // namespace

void StoreHead(const KvCacheView& cache, KvPart part, std::int64_t slot, std::int64_t head,
               const float* x) {
  const KvLayout& layout = cache.layout;
  const HeadPlace place = PlaceOf(cache, part, slot, head);
  const std::int64_t first = place.number * layout.head_dim;
  if (layout.dtype == DType::kI8) {
    std::int8_t codes[kMaxHeadDim];
    ScaleAt(layout, place) = RoundHead(x, layout.head_dim, codes);
    std::copy_n(codes, layout.head_dim, reinterpret_cast<std::int8_t*>(place.page) + first);
    return;
  }
  for (std::int64_t d = 0; d < layout.head_dim; ++d) {
    StoreElement(place.page, layout.dtype, first + d, x[d]);
  }
}

float LoadFromHead(const KvCacheView& cache, KvPart part, std::int64_t slot, std::int64_t head,
                   std::int64_t d) {
  const KvLayout& layout = cache.layout;
  const HeadPlace place = PlaceOf(cache, part, slot, head);
  const std::int64_t index = place.number * layout.head_dim + d;
  if (layout.dtype != DType::kI8) return LoadElement(place.page, layout.dtype, index);
  return ScaleAt(layout, place) *
         static_cast<float>(reinterpret_cast<const std::int8_t*>(place.page)[index]);
}

}  // namespace sglrun::kernels::ref
