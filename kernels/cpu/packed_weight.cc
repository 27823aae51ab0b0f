// Packing of weights into panels (kernels/cpu/panels.h).
#include "kernels/packed_weight.h"

#include "kernels/cpu/dot.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quant_panels.h"
#include "kernels/cpu/quant_rows.h"
#include "kernels/cpu/turn.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Elements of K that one thread packs at a time: 64 rows of them fill 8 KiB (bf16) of a panel,
// which stay in the first-level cache although each row visits every fourth line of them.
constexpr std::int64_t kChunk = 64;

// Sixteen pairs of bf16 elements. Rounding from float32 makes a NaN quiet, so that is done here,
// too.
SGLRUN_INLINE IVec QuietNans(IVec pairs) {
  const IVec magnitude = SetInt(0x7FFF), infinity = SetInt(0x7F80);
  const IVec low = infinity < (pairs & magnitude);
  const IVec high = infinity < (ShiftRight(pairs, 16) & magnitude);
  return pairs | (low & SetInt(0x40)) | (high & SetInt(0x400000));
}

// The first `count` elements as pairs, zeros after them.
SGLRUN_INLINE IVec PairsOf(const std::uint16_t* x, std::int64_t count) {
  if (count >= 2 * kLanes) return QuietNans(LoadInt(x));
  std::uint16_t padded[2 * kLanes] = {};
  for (std::int64_t i = 0; i < count; ++i) padded[i] = x[i];
  return QuietNans(LoadInt(padded));
}

// Elements [begin, end) of one row; begin is even.
void PackBf16(const std::uint16_t* x, std::int64_t begin, std::int64_t end, std::uint32_t* lane) {
  for (std::int64_t i = begin; i < end; i += 2 * kLanes) {
    std::uint32_t all[kLanes];
    StoreInt(all, PairsOf(x + i, end - i));
    const std::int64_t pairs = end - i >= 2 * kLanes ? kLanes : (end - i + 1) / 2;
    for (std::int64_t j = 0; j < pairs; ++j, lane += kPanelWidth) *lane = all[j];
  }
}

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

// Rows and pairs of PackSquare, which packs so many at once.
constexpr std::int64_t kSquare = 16;

#if defined(__AVX512BW__)

SGLRUN_INLINE __m512i RowOfPairs(const std::uint16_t* x) {
  return (__m512i)QuietNans(LoadInt(x)).part[0];
}

SGLRUN_INLINE __m512i RowOfPairs(const float* x) {
  alignas(64) static constexpr std::uint16_t kHighHalves[32] = {
      1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  const Vec first = RoundToBf16(Load(x));
  const Vec second = RoundToBf16(Load(x + kLanes));
  return _mm512_permutex2var_epi16((__m512i)first.part[0], _mm512_load_si512(kHighHalves),
                                   (__m512i)second.part[0]);
}

template <class Element>
void PackSquare(const Element* x, std::ptrdiff_t stride, std::uint32_t* lanes) {
  __m512i rows[16];
  Unrolled<16>([&](auto r) SGLRUN_LAMBDA_INLINE { rows[r] = RowOfPairs(x + r * stride); });
  TurnRows(rows, [&](int step, __m512i outputs) SGLRUN_LAMBDA_INLINE {
    _mm512_storeu_si512(lanes + step * kPanelWidth, outputs);
  });
}

#else

template <class Element>
void PackSquare(const Element* x, std::ptrdiff_t stride, std::uint32_t* lanes) {
  for (std::int64_t r = 0; r < kSquare; ++r) PackBf16(x + r * stride, 0, 2 * kSquare, lanes + r);
}

#endif

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

namespace {

// Elements [begin, end) of rows [row, stop) of one panel; x: the first of them.
template <class Element>
void PackChunk(const PackedWeight& weight, const Element* x, std::ptrdiff_t stride,
               std::int64_t row, std::int64_t stop, std::int64_t begin, std::int64_t end) {
  while (row < stop) {
    const std::int64_t count = row % kSquare == 0 && stop - row >= kSquare ? kSquare : 1;
    std::int64_t i = begin;
    if (count == kSquare) {
      for (; i + 2 * kSquare <= end; i += 2 * kSquare) {
        PackSquare(x + i, stride, PanelLane(weight, row, i / 2));
      }
    }
    for (std::int64_t m = 0; i < end && m < count; ++m) {
      PackBf16(x + m * stride, i, end, PanelLane(weight, row + m, i / 2));
    }
    row += count;
    x += count * stride;
  }
}

}  // namespace

void PackRows(const PackRowsArgs& args, KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  if (weight.form().quantized()) return PackQuantRows(args, context);
  const std::int64_t rows = args.rows.shape[0], k = weight.k, stride = args.rows.stride[0];
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
    const std::int64_t row = args.first_row > panel_begin ? args.first_row : panel_begin;
    const std::int64_t offset = (row - args.first_row) * stride;
    if (args.rows.dtype == tensor::DType::kBF16) {
      const auto* x = static_cast<const std::uint16_t*>(args.rows.data) + offset;
      return PackChunk(weight, x, stride, row, stop, begin, end);
    }
    const auto* x = static_cast<const float*>(args.rows.data) + offset;
    if (weight.dtype == tensor::DType::kBF16) {
      return PackChunk(weight, x, stride, row, stop, begin, end);
    }
    for (std::int64_t r = row; r < stop; ++r, x += stride) {
      PackF32(x, begin, end, PanelLane(weight, r, begin));
    }
  };
  ForEachItem(context.pool(), panels * chunks, pack);
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
