// What the matrix products of all weight forms share: the order of the work and the way a finished
// row of a tile goes to memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/panels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vec.h"
#include "kernels/gemm.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

struct GemmOutput {
  std::int64_t m, n;
  const float* bias;  // or nullptr
  float* y;
  std::ptrdiff_t y_stride;
  bool accumulate;
};

SGLRUN_INLINE GemmOutput OutputOf(const GemmArgs& args) {
  return {args.x.shape[0],
          args.weight->n,
          static_cast<const float*>(args.bias.data),
          static_cast<float*>(args.y.data),
          args.y.stride[0],
          args.accumulate};
}

// One row of a tile, [columns] from `sums`, to y. Not inlined: beside it the compiler would keep
// the sums of the product in memory instead of registers.
__attribute__((noinline)) inline void StoreTileRow(const GemmOutput& out, std::int64_t row,
                                                   std::int64_t column, std::int64_t columns,
                                                   const float* sums) {
  float* y = out.y + row * out.y_stride + column;
  for (std::int64_t i = 0; i < columns; i += kLanes) {
    const std::int64_t count = out.n - column - i;
    if (count <= 0) return;
    Vec sum = Load(sums + i);
    if (out.bias != nullptr) sum = sum + LoadPartial(out.bias + column + i, count, 0.0f);
    if (out.accumulate) sum = sum + LoadPartial(y + i, count, 0.0f);
    StorePartial(y + i, sum, count);
  }
}

// Who reads a panel: the first of several tiles brings it to the second-level cache for the others,
// and the last of them may ask for the next panel, so that memory works while they compute.
enum class Reader { kOnly, kEarlier, kLast };

struct TileOfPanel {
  std::int64_t panel, row, rows;
  Reader reader;
};

// Bytes ahead of its own reads for which a panel's only reader asks.
inline constexpr std::int64_t kPrefetchAhead = 4096;

// Calls fn for every tile of at most `tile_rows` rows. Work items are (group of
// tiles, panel), panels innermost. Tiles share the rows evenly: 8 rows are 4 + 4, not 6 + 2,
// because a tile of few rows waits for its weights.
template <class Fn>
SGLRUN_INLINE void ForEachTile(ThreadPool& pool, const GemmOutput& out, std::int64_t tile_rows,
                               const Fn& fn) {
  // Rows of x that stay in the second-level cache beside a panel: 96 rows of 2048 bf16 are 384 KiB.
  constexpr std::int64_t kBlockRows = 96;
  const std::int64_t panels = PanelCount(out.n);
  const std::int64_t tiles = (out.m + tile_rows - 1) / tile_rows;
  if (panels == 0 || tiles == 0) return;
  std::int64_t groups = (out.m + kBlockRows - 1) / kBlockRows;
  // Few panels do not divide evenly among the threads; tiles of the same panel do.
  if (panels < 16 * pool.threads() && groups < pool.threads()) {
    groups = tiles < pool.threads() ? tiles : pool.threads();
  }
  ForEachItem(pool, groups * panels, [&](std::int64_t item) {
    const std::int64_t group = item / panels, panel = item % panels;
    const std::int64_t first = tiles * group / groups, end = tiles * (group + 1) / groups;
    for (std::int64_t t = first; t < end; ++t) {
      const std::int64_t row = out.m * t / tiles;
      const Reader reader = t + 1 < end  ? Reader::kEarlier
                            : t == first ? Reader::kOnly
                                         : Reader::kLast;
      fn(TileOfPanel{panel, row, out.m * (t + 1) / tiles - row, reader});
    }
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
