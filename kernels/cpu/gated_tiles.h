// The product of gate and up with the activation after it: a work item has one panel of gates and
// the panel of ups of the same outputs, combined in the first-level cache and never stored.
#pragma once

#include <cstdint>

#include "kernels/cpu/activate.h"
#include "kernels/cpu/gemm_tiles.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

inline constexpr std::int64_t kMostTileRows = 8;

// Whole tiles fill an item, so that none has more than kBlockRows.
constexpr bool FitsAnItem(std::int64_t tile_rows) {
  return tile_rows <= kMostTileRows && kBlockRows % tile_rows == 0;
}

// y[row] = function(gate) * up for the rows of one tile, a panel wide. y may be up.
inline void GateTile(const ActivationArgs& activation, const float* gates, const float* ups,
                     std::int64_t rows, float* y, std::ptrdiff_t y_stride) {
  WithActivation(activation, [&](const auto& function) SGLRUN_LAMBDA_INLINE {
    for (std::int64_t m = 0; m < rows; ++m) {
      for (std::int64_t i = 0; i < kPanelWidth; i += kLanes) {
        const std::int64_t at = m * kPanelWidth + i;
        Store(y + m * y_stride + i, function(Load(gates + at)) * Load(ups + at));
      }
    }
  });
}

// Gates and ups of an item's outputs.
template <class Fn, class Meet>
void GateItem(const GemmOutput& wide, std::int64_t panel, const TilesOfItem& item, const Fn& fn,
              const Meet& meet) {
  alignas(64) float gates[kBlockRows][kPanelWidth];
  alignas(64) float ups[kMostTileRows][kPanelWidth];
  const std::int64_t panels = PanelCount(wide.n) / 2;
  GemmOutput out = wide;
  out.y = gates[0];
  out.y_stride = kPanelWidth;
  out.first_row = item.Row(item.first);
  out.first_column = panel * kPanelWidth;
  for (std::int64_t t = item.first; t < item.end; ++t) fn(item.Tile(panel, t), out);
  const std::int64_t first_row = out.first_row;
  out.y = ups[0];
  out.first_column = (panels + panel) * kPanelWidth;
  for (std::int64_t t = item.first; t < item.end; ++t) {
    const TileOfPanel tile = item.Tile(panels + panel, t);
    out.first_row = tile.row;
    fn(tile, out);
    meet(tile, panel, gates[tile.row - first_row], ups[0]);
  }
}

// Calls fn(tile, out) for all tiles of the product `wide`, whose outputs are whole panels of gates,
// followed by as many panels of ups: fn stores the tile to `out`. Then calls meet(tile, panel,
// gates, ups) with both [rows][64]: what becomes of them is that panel of the outputs of the
// activation.
template <class Fn, class Meet>
SGLRUN_INLINE void ForEachGatedTile(ThreadPool& pool, const GemmOutput& wide,
                                    std::int64_t tile_rows, const Fn& fn, const Meet& meet) {
  ForEachItemOfTiles(pool, wide, 2, tile_rows, [&](std::int64_t panel, const TilesOfItem& item) {
    GateItem(wide, panel, item, fn, meet);
  });
}

// What the gates and ups of a tile become as float32.
SGLRUN_INLINE void StoreGated(const ActivationArgs& activation, const TileOfPanel& tile,
                              std::int64_t panel, const float* gates, const float* ups) {
  float* y = Row(activation.y, tile.row) + panel * kPanelWidth;
  GateTile(activation, gates, ups, tile.rows, y, activation.y.stride[0]);
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
