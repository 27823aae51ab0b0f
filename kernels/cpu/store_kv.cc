#include "kernels/store_kv.h"

#include "kernels/common/round_head.h"
#include "kernels/cpu/dot.h"
#include "kernels/cpu/kv_page.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Writes D elements of one token as the high or low halves of 32-bit lanes, kStride halves apart.
template <std::int64_t kPairStride>
void StoreKeys(const float* from, std::int64_t size, std::uint32_t* to) {
  for (std::int64_t i = 0; i < size; i += kLanes) {
    std::uint32_t bits[kLanes];
    StoreInt(bits, AsInt(RoundToBf16(LoadPartial(from + i, size - i, 0.0f))));
    const std::int64_t pairs = (size - i < kLanes ? size - i : kLanes) / 2;
    for (std::int64_t j = 0; j < pairs; ++j, to += kPairStride) {
      *to = bits[2 * j] >> 16 | bits[2 * j + 1];
    }
  }
}

void StoreValues(const float* from, std::int64_t size, std::uint16_t* to) {
  for (std::int64_t i = 0; i < size; i += kLanes) {
    std::uint32_t bits[kLanes];
    StoreInt(bits, AsInt(RoundToBf16(LoadPartial(from + i, size - i, 0.0f))));
    const std::int64_t count = size - i < kLanes ? size - i : kLanes;
    for (std::int64_t j = 0; j < count; ++j) {
      to[2 * (i + j)] = static_cast<std::uint16_t>(bits[j] >> 16);
    }
  }
}

// Not inlined, to keep the code small.
__attribute__((noinline)) float HeadToCodes(const float* x, std::int64_t size,
                                            std::int8_t (&codes)[kMaxHeadDim]) {
  return RoundHead(x, size, codes);
}

// Of an int8 cache.
void StoreCodes(const float* key, const float* value, const PageGeometry& page, std::int64_t s,
                char* keys, char* values) {
  std::int8_t codes[kMaxHeadDim];
  reinterpret_cast<float*>(keys + page.key_elements)[s] = HeadToCodes(key, page.head_dim, codes);
  for (std::int64_t d = 0; d < page.head_dim; ++d) keys[d * kPageSize + s] = codes[d];
  reinterpret_cast<float*>(values + page.value_elements)[s] =
      HeadToCodes(value, page.head_dim, codes);
  char* row = values + s / 4 * 4 * page.padded_dim + s % 4 * kLanes;
  for (std::int64_t d = 0; d < page.head_dim; ++d) {
    row[d / kLanes * 4 * kLanes + d % kLanes] = codes[d];
  }
}

void StoreToken(const StoreKvArgs& args, const PageGeometry& page, std::int64_t t,
                std::int64_t slot) {
  char* base = static_cast<char*>(args.cache.data) + slot / kPageSize * page.page_bytes;
  const std::int64_t s = slot % kPageSize, size = page.head_dim;
  for (std::int64_t h = 0; h < args.cache.layout.num_kv_heads; ++h) {
    const float* key = Row(args.k, t) + h * size;
    const float* value = Row(args.v, t) + h * size;
    char* keys = base + h * page.key_bytes;
    char* values = base + page.values_offset + h * page.value_bytes;
    if (args.cache.layout.dtype == tensor::DType::kI8) {
      StoreCodes(key, value, page, s, keys, values);
    } else if (args.cache.layout.dtype == tensor::DType::kBF16) {
      StoreKeys<kPageSize>(key, size, reinterpret_cast<std::uint32_t*>(keys) + s);
      StoreValues(value, size,
                  reinterpret_cast<std::uint16_t*>(values) + s / 2 * 2 * page.padded_dim + s % 2);
    } else {
      auto* lane = reinterpret_cast<float*>(keys) + s;
      for (std::int64_t d = 0; d < size; ++d) lane[d * kPageSize] = key[d];
      auto* row = reinterpret_cast<float*>(values) + s * page.padded_dim;
      for (std::int64_t d = 0; d < size; ++d) row[d] = value[d];
    }
  }
}

}  // namespace

std::size_t KvPageBytes(const KvLayout& layout) {
  return static_cast<std::size_t>(GeometryOf(layout).page_bytes);
}

void StoreKv(const StoreKvArgs& args, KernelContext& context) {
  const PageGeometry page = GeometryOf(args.cache.layout);
  const std::int32_t* slots = args.slots.data();
  ForRange(context.pool(), static_cast<std::int64_t>(args.slots.size()),
           2 * args.cache.layout.num_kv_heads * page.head_dim,
           [&](std::int64_t first, std::int64_t last) {
             for (std::int64_t t = first; t < last; ++t) StoreToken(args, page, t, slots[t]);
           });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
