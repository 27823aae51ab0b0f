// Packing of quantised weights into panels (kernels/cpu/quant_panels.h), and reading a row back.
#include "kernels/cpu/quant_panels.h"

#include "kernels/common/quantize.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quant_rows.h"
#include "kernels/cpu/turn.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Elements of K that one thread packs at a time: a multiple of all group sizes.
constexpr std::int64_t kChunk = 64;

// Rows whose codes are turned at once.
constexpr std::int64_t kSquare = 16;

// One output's part of one group in a panel.
struct GroupOfRow {
  std::uint8_t* group;
  std::int64_t lane;
  const QuantPanel* panel;

  void SetScale(std::int64_t begin, float value) const {
    std::uint8_t* at = group + begin + lane * panel->scale_bytes;
    if (panel->scale_bytes == 4) {
      __builtin_memcpy(at, &value, 4);
    } else {
      const std::uint16_t half = tensor::FloatToF16(value);
      __builtin_memcpy(at, &half, 2);
    }
  }
  float ScaleAt(std::int64_t begin) const {
    const std::uint8_t* at = group + begin + lane * panel->scale_bytes;
    if (panel->scale_bytes == 4) {
      float value;
      __builtin_memcpy(&value, at, 4);
      return value;
    }
    std::uint16_t half;
    __builtin_memcpy(&half, at, 2);
    return tensor::F16ToFloat(half);
  }
  // `codes` of `size` elements, one a byte.
  void SetCodes(const std::uint8_t* codes, std::int64_t size, bool nibbles) const {
    std::uint8_t* to = group + panel->codes + lane * kQuantStep;
    if (!nibbles) {
      for (std::int64_t i = 0; i < size; i += kQuantStep, to += kQuantStepBytes) {
        __builtin_memcpy(to, codes + i, kQuantStep);
      }
      return;
    }
    for (std::int64_t i = 0; i < size; i += 2 * kQuantStep, to += kQuantStepBytes) {
      std::uint32_t even, odd;
      __builtin_memcpy(&even, codes + i, 4);
      __builtin_memcpy(&odd, codes + i + kQuantStep, 4);
      even |= odd << 4;
      __builtin_memcpy(to, &even, 4);
    }
  }
  std::uint8_t CodeAt(std::int64_t i, bool nibbles) const {
    const std::int64_t step = i / kQuantStep;
    const std::int64_t offset = panel->codes + lane * kQuantStep + i % kQuantStep;
    if (!nibbles) return group[offset + step * kQuantStepBytes];
    const std::uint8_t both = group[offset + step / 2 * kQuantStepBytes];
    return step % 2 == 0 ? both & 15 : both >> 4;
  }
};

struct Panels {
  std::uint8_t* data;
  QuantPanel panel;
  WeightForm form;

  explicit Panels(const PackedWeight& weight)
      : data(static_cast<std::uint8_t*>(weight.data.data())),
        panel(QuantPanelOf(weight.k, weight.form())),
        form(weight.form()) {}

  GroupOfRow At(std::int64_t row, std::int64_t group) const {
    return {data + row / kPanelWidth * panel.bytes() + group * panel.group_bytes, row % kPanelWidth,
            &panel};
  }
  bool nibbles() const { return form.dtype == tensor::DType::kI4; }
};

// fn(row, count, first group, last group) for rows [first_row, first_row + rows), one at a time or
// kSquare that share their lines; work items are some groups of the rows of one panel: no two items
// share a line.
template <class Fn>
SGLRUN_INLINE void ForEachChunk(ThreadPool& pool, const Panels& panels, std::int64_t first_row,
                                std::int64_t rows, const Fn& fn) {
  if (rows == 0) return;
  const std::int64_t at_once = kChunk / panels.form.quant.group;
  const std::int64_t chunks = (panels.panel.groups + at_once - 1) / at_once;
  const std::int64_t first_panel = first_row / kPanelWidth;
  const std::int64_t count = PanelCount(first_row + rows) - first_panel;
  ForEachItem(pool, count * chunks, [&](std::int64_t item) {
    const std::int64_t begin = item % chunks * at_once;
    const std::int64_t left = panels.panel.groups - begin;
    const std::int64_t end = begin + (left < at_once ? left : at_once);
    const std::int64_t panel_begin = (first_panel + item / chunks) * kPanelWidth;
    const std::int64_t panel_end = panel_begin + kPanelWidth;
    const std::int64_t stop = first_row + rows < panel_end ? first_row + rows : panel_end;
    for (std::int64_t r = first_row > panel_begin ? first_row : panel_begin; r < stop;) {
      const std::int64_t size = r % kSquare == 0 && stop - r >= kSquare ? kSquare : 1;
      fn(r, size, begin, end);
      r += size;
    }
  });
}

// The elements of one group, zeros after the row's end.
template <int kVectors>
void LoadGroup(const float* x, std::int64_t count, QuantFloats (&group)[kVectors]) {
  float padded[kVectors * kQuantLanes] = {};
  if (count < kVectors * kQuantLanes) {
    for (std::int64_t i = 0; i < count; ++i) padded[i] = x[i];
    x = padded;
  }
  __builtin_memcpy(&group, x, sizeof group);
}

// One group of one row.
template <int kVectors>
void PackGroup(const float* x, std::int64_t left, const Panels& panels, const GroupOfRow& to) {
  constexpr std::int64_t kSize = kVectors * kQuantLanes;
  QuantFloats group[kVectors];
  QuantInts codes[kVectors];
  LoadGroup(x, left, group);
  if (panels.nibbles()) {
    const ScaleAndMinimum kept = QuantizeInt4(group, codes);
    to.SetScale(0, kept.scale);
    to.SetScale(panels.panel.minima, kept.minimum);
  } else {
    to.SetScale(0, QuantizeInt8(group, codes));
  }
  std::int32_t values[kSize];
  __builtin_memcpy(values, &codes, sizeof values);
  std::uint8_t bytes[kSize];
  for (int i = 0; i < kSize; ++i) {
    bytes[i] = static_cast<std::uint8_t>(values[i] + panels.form.zero());
  }
  to.SetCodes(bytes, kSize, panels.nibbles());
}

#if defined(__AVX512BW__)

// A group of 64 of each of kSquare rows in int8. `first` is a reference because a copy is read in
// larger pieces than it was written in, and so waits for all the panel's stores before it.
void PackSquareOfGroups(const float* x, std::ptrdiff_t stride, const GroupOfRow& first) {
  std::uint8_t* const to = first.group + first.panel->codes + first.lane * kQuantStep;
  __m512i rows[kSquare];
  for (std::int64_t r = 0; r < kSquare; ++r, x += stride) {
    const GroupOfRow row_of_group{first.group, first.lane + r, first.panel};
    QuantFloats group[4];
    QuantInts codes[4];
    __builtin_memcpy(&group, x, sizeof group);
    row_of_group.SetScale(0, QuantizeInt8(group, codes));
    // Put together in registers: a load after four smaller stores waits for all of them.
    __m512i row = _mm512_castsi128_si512(_mm512_cvtepi32_epi8((__m512i)codes[0]));
    row = _mm512_inserti32x4(row, _mm512_cvtepi32_epi8((__m512i)codes[1]), 1);
    row = _mm512_inserti32x4(row, _mm512_cvtepi32_epi8((__m512i)codes[2]), 2);
    row = _mm512_inserti32x4(row, _mm512_cvtepi32_epi8((__m512i)codes[3]), 3);
    rows[r] = _mm512_xor_si512(row, _mm512_set1_epi8(-128));  // plus the zero of 128
  }
  TurnRows(rows, [&](int step, __m512i outputs) SGLRUN_LAMBDA_INLINE {
    _mm512_storeu_si512(to + step * kQuantStepBytes, outputs);
  });
}
constexpr bool kTurns = true;

#else

void PackSquareOfGroups(const float*, std::ptrdiff_t, const GroupOfRow&) {}
constexpr bool kTurns = false;

#endif

template <int kVectors>
void PackGroups(const PackRowsArgs& args, KernelContext& context) {
  constexpr std::int64_t kSize = kVectors * kQuantLanes;
  const Panels panels(*args.weight);
  const std::int64_t k = args.weight->k;
  const bool turns = kTurns && kVectors == 4 && !panels.nibbles();
  ForEachChunk(context.pool(), panels, args.first_row, args.rows.shape[0],
               [&](std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t g = begin; g < end; ++g) {
                   const std::int64_t left = k - g * kSize;
                   const float* x = Row(args.rows, row - args.first_row) + g * kSize;
                   if (turns && count == kSquare && left >= kSize) {
                     PackSquareOfGroups(x, args.rows.stride[0], panels.At(row, g));
                     continue;
                   }
                   for (std::int64_t m = 0; m < count; ++m) {
                     PackGroup<kVectors>(x + m * args.rows.stride[0], left, panels,
                                         panels.At(row + m, g));
                   }
                 }
               });
}

}  // namespace

void PackQuantRows(const PackRowsArgs& args, KernelContext& context) {
  return args.weight->quant.group == 64 ? PackGroups<4>(args, context)
                                        : PackGroups<2>(args, context);
}

void PackCodes(const PackCodesArgs& args, KernelContext& context) {
  const Panels panels(*args.weight);
  const std::int64_t k = args.weight->k, size = panels.form.quant.group;
  const auto pack = [&](std::int64_t row, std::int64_t g) {
    const std::int64_t source = row - args.first_row;
    const GroupOfRow to = panels.At(row, g);
    const std::int64_t index = source * panels.panel.groups + g;
    to.SetScale(0, args.scales[index]);
    if (panels.form.quant.minima) to.SetScale(panels.panel.minima, args.minima[index]);
    const std::uint8_t* codes = args.codes + source * k + g * size;
    std::uint8_t padded[64] = {};
    if (k - g * size < size) {
      for (std::int64_t i = 0; i < k - g * size; ++i) padded[i] = codes[i];
      codes = padded;
    }
    to.SetCodes(codes, size, panels.nibbles());
  };
  ForEachChunk(context.pool(), panels, args.first_row, args.rows,
               [&](std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t r = row; r < row + count; ++r) {
                   for (std::int64_t g = begin; g < end; ++g) pack(r, g);
                 }
               });
}

void ReadQuantRow(const PackedWeight& weight, std::int64_t row, float* out) {
  const Panels panels(weight);
  const std::int64_t size = panels.form.quant.group;
  for (std::int64_t i = 0; i < weight.k; ++i) {
    const GroupOfRow group = panels.At(row, i / size);
    const std::int32_t code = group.CodeAt(i % size, panels.nibbles()) - panels.form.zero();
    const float value = group.ScaleAt(0) * static_cast<float>(code);
    out[i] = panels.form.quant.minima ? value + group.ScaleAt(panels.panel.minima) : value;
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
