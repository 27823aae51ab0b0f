// gemm with bf16 weights on matrix tiles. A product of tiles adds, for each output and from zero,
// the even elements of 32 neighbours of K and the odd ones apart, one rounded multiply-add after
// the other, then both to the output's sum; subnormals count as zeros (TDPBF16PS in Intel's manual,
// volume 2). The 32 are fixed, so a row's sum does not depend on its neighbours, and
// a bf16 product with another instruction has other bits: tiles are used for any number of rows.
#pragma once

#include "kernels/cpu/amx_block.h"
#include "kernels/cpu/dot.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// x lies step by step like the weights, [steps][m][32]: a tile of it is one stretch of memory,
// whatever K is. The last step is filled up with zeros.
struct TileJob {
  static constexpr std::int64_t kDepth = kTileRowBytes / 2;  // elements of K a step

  const char* weights;
  std::int64_t pairs;  // of K, steps of the panel
  const char* x;
  std::int64_t steps;
  GemmOutput out;

  template <class Tiles, class Block>
  void Multiply(const TileOfPanel& tile) const;
};

// The last pairs of K that do not fill a tile, with zeros after them: what follows in memory is
// another panel, and zeros of x times its NaN would be NaN.
template <int kColumns>
struct LastStep {
  alignas(64) std::uint32_t lanes[kTileHeight][kColumns];

  LastStep(const char* panel, std::int64_t pairs) {
    for (std::int64_t i = 0; i < kTileHeight; ++i) {
      if (i < pairs) {
        __builtin_memcpy(lanes[i], panel + i * kPanelRowBytes, sizeof lanes[i]);
      } else {
        __builtin_memset(lanes[i], 0, sizeof lanes[i]);
      }
    }
  }
};

template <class Tiles, class Block>
void TileJob::Multiply(const TileOfPanel& tile) const {
  constexpr int kColumns = Block::kColumns;
  const std::ptrdiff_t x_step = out.m * kTileRowBytes;
  const std::int64_t full_steps = pairs / kTileHeight;
  const std::int64_t panel_bytes = pairs * kPanelRowBytes;
  const char* panel = weights + tile.panel * panel_bytes;
  for (int pass = 0; pass < Block::kPasses; ++pass) {
    const std::int64_t column = pass * kColumns;
    std::ptrdiff_t rows = tile.row * kTileRowBytes;
    const char* outputs = panel + column * 4;
    const Ahead ahead(panel, panel_bytes, full_steps, tile, pass, Block::kPasses);
    Block::template Zero<Tiles>();
    for (std::int64_t step = 0; step < full_steps; ++step) {
      ahead.Prefetch(step);
      Block::template Multiply<Tiles, TileProduct::kBf16>(x + rows, kTileRowBytes, outputs,
                                                          kPanelRowBytes);
      rows += x_step;
      outputs += kTileHeight * kPanelRowBytes;
    }
    if (full_steps < steps) {
      const LastStep<kColumns> last(outputs, pairs % kTileHeight);
      Block::template Multiply<Tiles, TileProduct::kBf16>(
          x + rows, kTileRowBytes, reinterpret_cast<const char*>(last.lanes), kColumns * 4);
    }
    alignas(64) float sums[kBlockHeight][kColumns];
    Block::template Store<Tiles>(sums);
    for (std::int64_t m = 0; m < tile.rows; ++m) {
      StoreTileRow(out, tile.row + m, tile.panel * kPanelWidth + column, kColumns, sums[m]);
    }
  }
}

SGLRUN_INLINE void StoreBf16(char* to, Vec value) {
  typedef std::uint16_t Halves __attribute__((vector_size(2 * kNativeLanes)));
  const IVec bits = ShiftRight(AsInt(RoundToBf16(value)), 16);
  Unrolled<kParts>([&](auto i) SGLRUN_LAMBDA_INLINE {
    const Halves halves = __builtin_convertvector(bits.part[i], Halves);
    __builtin_memcpy(to + i * static_cast<int>(sizeof halves), &halves, sizeof halves);
  });
}

// One row of x, its steps `x_step` bytes apart.
inline void TileRow(const float* x, std::int64_t k, char* to, std::ptrdiff_t x_step) {
  for (std::int64_t i = 0; i < k; i += TileJob::kDepth, to += x_step) {
    const std::int64_t second = k - i - kLanes;
    StoreBf16(to, LoadPartial(x + i, k - i, 0.0f));
    StoreBf16(to + kTileRowBytes / 2,
              second > 0 ? LoadPartial(x + i + kLanes, second, 0.0f) : Set(0.0f));
  }
}

template <class Tiles>
void TileGemm(const GemmArgs& args, KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  const GemmOutput out = OutputOf(args);
  const std::int64_t steps = (weight.k + TileJob::kDepth - 1) / TileJob::kDepth;
  char* x =
      static_cast<char*>(context.Scratch(static_cast<std::size_t>(steps * out.m * kTileRowBytes)));
  if (steps > 0) {
    ForRange(context.pool(), out.m, weight.k / 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        TileRow(Row(args.x, r), weight.k, x + r * kTileRowBytes, out.m * kTileRowBytes);
      }
    });
  }
  const TileJob job = {static_cast<const char*>(weight.data.data()),
                       StepCount(weight.k, weight.dtype), x, steps, out};
  ForEachBlock<Tiles>(job, kTileRowBytes, context.pool());
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
