// Weights and cache pages of the reference: row-major, so that an index says everything.
#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

using tensor::DType;

float LoadElement(const void* data, DType dtype, std::int64_t index) {
  if (dtype == DType::kF32) return static_cast<const float*>(data)[index];
  return tensor::BF16ToFloat(static_cast<const std::uint16_t*>(data)[index]);
}

void StoreElement(void* data, DType dtype, std::int64_t index, float value) {
  if (dtype == DType::kF32) {
    static_cast<float*>(data)[index] = value;
  } else {
    static_cast<std::uint16_t*>(data)[index] = tensor::FloatToBF16(value);
  }
}

std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, DType dtype) {
  return static_cast<std::size_t>(n * k) * tensor::ElementSize(dtype);
}

void PackRows(const PackRowsArgs& args, KernelContext&) {
  const std::int64_t k = args.weight->k;
  for (std::int64_t r = 0; r < args.rows.shape[0]; ++r) {
    for (std::int64_t i = 0; i < k; ++i) {
      StoreElement(args.weight->data.data(), args.weight->dtype, (args.first_row + r) * k + i,
                   args.rows.row(r)[i]);
    }
  }
}

std::size_t KvPageBytes(const KvLayout& layout) {
  return static_cast<std::size_t>(2 * kPageSize * layout.num_kv_heads * layout.head_dim) *
         tensor::ElementSize(layout.dtype);
}

std::int64_t KeyIndex(const KvLayout& layout, std::int64_t slot, std::int64_t head,
                      std::int64_t d) {
  const std::int64_t width = layout.num_kv_heads * layout.head_dim;
  const std::int64_t page = slot / kPageSize;
  return page * 2 * kPageSize * width + (slot % kPageSize) * width + head * layout.head_dim + d;
}

std::int64_t ValueIndex(const KvLayout& layout, std::int64_t slot, std::int64_t head,
                        std::int64_t d) {
  return KeyIndex(layout, slot, head, d) + kPageSize * layout.num_kv_heads * layout.head_dim;
}

}  // namespace sglrun::kernels::ref
