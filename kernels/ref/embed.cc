#include "kernels/embed.h"

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {

void Embed(const EmbedArgs& args, KernelContext&) {
  const PackedWeight& weight = *args.weight;
  for (std::size_t t = 0; t < args.ids.size(); ++t) {
    for (std::int64_t i = 0; i < weight.k; ++i) {
      args.out.row(static_cast<std::int64_t>(t))[i] =
          LoadWeight(weight, args.ids[t], i) * args.scale;
    }
  }
}

}  // namespace sglrun::kernels::ref
