#include "kernels/embed.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quant_rows.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

void ReadRow(const PackedWeight& weight, std::int64_t row, float* out) {
  if (weight.form().quantized()) return ReadQuantRow(weight, row, out);
  const std::uint32_t* lane = PanelLane(weight, row, 0);
  if (weight.dtype == tensor::DType::kF32) {
    for (std::int64_t i = 0; i < weight.k; ++i) {
      __builtin_memcpy(out + i, lane + i * kPanelWidth, sizeof *out);
    }
    return;
  }
  for (std::int64_t i = 0; i < weight.k; ++i) {
    const std::uint32_t pair = lane[i / 2 * kPanelWidth];
    const std::uint32_t bits = i % 2 == 0 ? pair << 16 : pair & 0xFFFF0000u;
    __builtin_memcpy(out + i, &bits, sizeof *out);
  }
}

}  // namespace

void Embed(const EmbedArgs& args, KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  const std::int32_t* ids = args.ids.data();
  const auto tokens = static_cast<std::int64_t>(args.ids.size());
  ForRange(context.pool(), tokens, weight.k, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      float* out = Row(args.out, t);
      ReadRow(weight, ids[t], out);
      if (args.scale == 1.0f) continue;
      for (std::int64_t i = 0; i < weight.k; ++i) out[i] *= args.scale;
    }
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
