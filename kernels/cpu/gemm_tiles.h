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
  float alpha;
  std::int64_t first_row = 0, first_column = 0;  // y's own

  SGLRUN_INLINE float* At(std::int64_t row, std::int64_t column) const {
    return y + (row - first_row) * y_stride + (column - first_column);
  }
};

SGLRUN_INLINE GemmOutput OutputOf(const GemmArgs& args) {
  return {args.x.shape[0],
          args.weight->n,
          static_cast<const float*>(args.bias.data),
          static_cast<float*>(args.y.data),
          args.y.stride[0],
          args.accumulate,
          args.alpha};
}

// Prefetches the lines of a tile's sums before they are computed: rows far apart, which hardware
// does not predict. The lines of few rows are in a cache already.
template <int kRows, int kColumns>
SGLRUN_INLINE void PrefetchOutput(const GemmOutput& out, std::int64_t row, std::int64_t column) {
  constexpr std::int64_t kManyRows = 128;
  if (out.m < kManyRows) return;
  for (int m = 0; m < kRows; ++m) {
    const float* y = out.At(row + m, column);
    for (int i = 0; i < kColumns; i += kLanes) __builtin_prefetch(y + i, 1);
  }
}

// One row of a tile, [columns] from `sums`, to y. Not inlined: beside it the compiler would keep
// the sums of the product in memory instead of registers.
__attribute__((noinline)) inline void StoreTileRow(const GemmOutput& out, std::int64_t row,
                                                   std::int64_t column, std::int64_t columns,
                                                   const float* sums) {
  float* y = out.At(row, column);
  for (std::int64_t i = 0; i < columns; i += kLanes) {
    const std::int64_t count = out.n - column - i;
    if (count <= 0) return;
    Vec sum = Load(sums + i);
    if (out.bias != nullptr) sum = sum + LoadPartial(out.bias + column + i, count, 0.0f);
    sum = sum * Set(out.alpha);
    if (out.accumulate) sum = sum + LoadPartial(y + i, count, 0.0f);
    StorePartial(y + i, sum, count);
  }
}

// A whole tile; where all of its columns are outputs, by a loop without ends.
template <int kRows, int kColumns>
__attribute__((noinline)) void StoreTile(const GemmOutput& out, std::int64_t row,
                                         std::int64_t column,
                                         const float (&sums)[kRows][kColumns]) {
  if (column + kColumns > out.n) {
    for (int m = 0; m < kRows; ++m) StoreTileRow(out, row + m, column, kColumns, sums[m]);
    return;
  }
  float* y = out.At(row, column);
  for (int m = 0; m < kRows; ++m, y += out.y_stride) {
    Unrolled<kColumns / kLanes>([&](auto u) SGLRUN_LAMBDA_INLINE {
      constexpr int kFirst = u * kLanes;
      Vec sum = Load(sums[m] + kFirst);
      if (out.bias != nullptr) sum = sum + Load(out.bias + column + kFirst);
      sum = sum * Set(out.alpha);
      if (out.accumulate) sum = sum + Load(y + kFirst);
      Store(y + kFirst, sum);
    });
  }
}

// A tile: number `reader` of the `readers` that read a panel one after the other.
struct TileOfPanel {
  std::int64_t panel, row, rows;
  std::int64_t reader, readers;
};

// How many bytes ahead of its reads a panel's only reader prefetches.
inline constexpr std::int64_t kPrefetchAhead = 4096;

// Each of several readers prefetches its share of the next panel, step by step, so that memory
// works all the while they compute.
struct NextPanel {
  const char* from;      // what the first step prefetches
  std::int64_t advance;  // bytes a step

  // For pass `pass` of `passes` over the panel's steps.
  NextPanel(const void* panel, std::int64_t panel_bytes, std::int64_t steps,
            const TileOfPanel& tile, std::int64_t pass, std::int64_t passes) {
    const std::int64_t all_steps = steps * passes * tile.readers;
    advance = all_steps > 0 ? panel_bytes / all_steps + 1 : 0;
    from = static_cast<const char*>(panel) + panel_bytes +
           (tile.reader * passes + pass) * steps * advance;
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    const char* line = from + step * advance;
    __builtin_prefetch(line, 0, 2);
    __builtin_prefetch(line + 64, 0, 2);
    // Half a step of a panel with its scales is more than two lines.
    __builtin_prefetch(line + 128, 0, 2);
  }
};

// Rows of x that stay in the second-level cache beside a panel: 96 rows of 2048 bf16 are 384 KiB.
inline constexpr std::int64_t kBlockRows = 96;

// The tiles [first, end) of the `tiles` that share `rows` evenly: with at most 6 rows per tile, 8
// rows are 4 + 4, not 6 + 2, because a tile of few rows waits for its weights.
struct TilesOfItem {
  std::int64_t rows, tiles, first, end;

  SGLRUN_INLINE std::int64_t Row(std::int64_t tile) const { return rows * tile / tiles; }
  SGLRUN_INLINE TileOfPanel Tile(std::int64_t panel, std::int64_t tile) const {
    return {panel, Row(tile), Row(tile + 1) - Row(tile), tile - first, end - first};
  }
};

// Calls fn(column, tiles) for every work item: some tiles of one column (`panels_each` panels), of
// at most `tile_rows` rows each and kBlockRows rows together. The index of the column changes
// fastest.
template <class Fn>
SGLRUN_INLINE void ForEachItemOfTiles(ThreadPool& pool, const GemmOutput& out,
                                      std::int64_t panels_each, std::int64_t tile_rows,
                                      const Fn& fn) {
  const std::int64_t rows = out.m, panels = PanelCount(out.n), columns = panels / panels_each;
  const std::int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  if (columns == 0 || tiles == 0) return;
  std::int64_t groups = (rows + kBlockRows - 1) / kBlockRows;
  // Few panels do not divide evenly among the threads; tiles of the same panel do.
  if (panels < 16 * pool.threads() && groups < pool.threads()) {
    groups = tiles < pool.threads() ? tiles : pool.threads();
  }
  ForEachItem(pool, groups * columns, [&](std::int64_t item) {
    const std::int64_t group = item / columns;
    fn(item % columns,
       TilesOfItem{rows, tiles, tiles * group / groups, tiles * (group + 1) / groups});
  });
}

template <class Fn>
SGLRUN_INLINE void ForEachTile(ThreadPool& pool, const GemmOutput& out, std::int64_t tile_rows,
                               const Fn& fn) {
  ForEachItemOfTiles(pool, out, 1, tile_rows, [&](std::int64_t panel, const TilesOfItem& item) {
    for (std::int64_t t = item.first; t < item.end; ++t) {
      fn(item.Tile(panel, t));
    }
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
