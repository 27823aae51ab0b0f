#include "kernels/store_kv.h"

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

void StoreKv(const StoreKvArgs& args, KernelContext&) {
  const KvLayout& layout = args.cache.layout;
  for (std::size_t t = 0; t < args.slots.size(); ++t) {
    const float* key = args.k.row(static_cast<std::int64_t>(t));
    const float* value = args.v.row(static_cast<std::int64_t>(t));
    for (std::int64_t h = 0; h < layout.num_kv_heads; ++h) {
      StoreHead(args.cache, KvPart::kKeys, args.slots[t], h, key + h * layout.head_dim);
      StoreHead(args.cache, KvPart::kValues, args.slots[t], h, value + h * layout.head_dim);
    }
  }
}

}  // namespace sglrun::kernels::ref
