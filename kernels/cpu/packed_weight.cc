// Packing of weights into panels (kernels/cpu/panels.h).
#include "kernels/packed_weight.h"

#include "kernels/cpu/dot.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quant_panels.h"
#include "kernels/cpu/quant_rows.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Elements of K that one thread packs at a time: 64 rows of them fill 8 KiB (bf16) of a panel,
// which stay in the first-level cache although each row visits every fourth line of them.
constexpr std::int64_t kChunk = 64;

// Elements [begin, end) of one row; begin is even.
void PackBf16(const float* x, std::int64_t begin, std::int64_t end, std::uint32_t* lane) {
  for (std::int64_t i = begin; i < end; i += kLanes) {
    const IVec bits = AsInt(RoundToBf16(LoadPartial(x + i, end - i, 0.0f)));
    std::uint32_t high[kLanes];
    StoreInt(high, bits);
    const std::int64_t pairs = end - i >= kLanes ? kLanes / 2 : (end - i + 1) / 2;
    for (std::int64_t j = 0; j < pairs; ++j, lane += kPanelWidth) {
      *lane = high[2 * j] >> 16 | high[2 * j + 1];
    }
  }
}

void PackF32(const float* x, std::int64_t begin, std::int64_t end, std::uint32_t* lane) {
  for (std::int64_t i = begin; i < end; ++i, lane += kPanelWidth) {
    __builtin_memcpy(lane, x + i, sizeof *lane);
  }
}

}  // namespace

std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form) {
  if (form.quantized()) {
    return static_cast<std::size_t>(PanelCount(n) * QuantPanelOf(k, form).bytes());
  }
  return static_cast<std::size_t>(PanelCount(n) * PanelLanes(k, form.dtype)) *
         sizeof(std::uint32_t);
}

void PackRows(const PackRowsArgs& args, KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  if (weight.form().quantized()) return PackQuantRows(args, context);
  const std::int64_t rows = args.rows.shape[0], k = weight.k;
  const bool bf16 = weight.dtype == tensor::DType::kBF16;
  const std::int64_t chunks = (k + kChunk - 1) / kChunk;
  // A work item is a chunk of K of the rows of one panel: no two items share a line.
  const std::int64_t first_panel = args.first_row / kPanelWidth;
  const std::int64_t panels = PanelCount(args.first_row + rows) - first_panel;
  if (rows == 0) return;
  const auto pack = [&](std::int64_t item) {
    const std::int64_t panel = first_panel + item / chunks;
    const std::int64_t begin = item % chunks * kChunk;
    const std::int64_t end = begin + kChunk < k ? begin + kChunk : k;
    const std::int64_t panel_begin = panel * kPanelWidth, panel_end = panel_begin + kPanelWidth;
    const std::int64_t stop = args.first_row + rows < panel_end ? args.first_row + rows : panel_end;
    for (std::int64_t r = args.first_row > panel_begin ? args.first_row : panel_begin; r < stop;
         ++r) {
      const float* x = Row(args.rows, r - args.first_row);
      if (bf16) {
        PackBf16(x, begin, end, PanelLane(weight, r, begin / 2));
      } else {
        PackF32(x, begin, end, PanelLane(weight, r, begin));
      }
    }
  };
  ForEachItem(context.pool(), panels * chunks, pack);
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
