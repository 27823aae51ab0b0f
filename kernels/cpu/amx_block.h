// What the products on matrix tiles share: a block of up to 32 rows of x times a panel of 64
// outputs. Panels hold sixteen outputs of a step of four bytes side by side, which is what a tile
// of weights wants, so they are read as they lie.
//
// Of the eight tiles four hold sums, two x and two weights. A block of more than 16 rows takes two
// tiles of rows times two of outputs, and passes over the panel twice; one of fewer takes four of
// outputs, because four sums in flight hide the latency of a product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/amx_config.h"
#include "kernels/cpu/gemm_tiles.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

inline constexpr int kBlockTiles = 2;
inline constexpr int kBlockHeight = kBlockTiles * kTileHeight;
inline constexpr std::ptrdiff_t kPanelRowBytes = kPanelWidth * 4;

// The numbers of the tiles.
inline constexpr int kSumTile = 0, kXTile = 4, kWeightTile = 6;

// kTall x kWide tiles: rows x outputs.
template <int kTall, int kWide>
struct TileBlock {
  static_assert(kTall * kWide == kXTile - kSumTile);
  static constexpr int kColumns = kWide * kLanes;
  static constexpr int kPasses = static_cast<int>(kPanelWidth) / kColumns;

  // x_bytes of a row of x are multiplied at once.
  static TileConfig Config(std::int64_t rows, std::int64_t x_bytes) {
    TileConfig config;
    for (int tall = 0; tall < kTall; ++tall) {
      const std::int64_t left = rows - tall * kTileHeight;
      const std::int64_t height = left < kTileHeight ? left : kTileHeight;
      config.Set(kXTile + tall, height, x_bytes);
      for (int wide = 0; wide < kWide; ++wide) {
        config.Set(kSumTile + tall * kWide + wide, height, kTileRowBytes);
      }
    }
    config.Set(kWeightTile, x_bytes / 4, kTileRowBytes);
    config.Set(kWeightTile + 1, x_bytes / 4, kTileRowBytes);
    return config;
  }

  template <class Tiles>
  static SGLRUN_INLINE void Zero() {
    Unrolled<kTall * kWide>([](auto i)
                                SGLRUN_LAMBDA_INLINE { Tiles::template Zero<kSumTile + i>(); });
  }

  // Adds the products of one tile's depth. Rows of x are `x_stride` bytes apart, steps of the
  // weights `weight_stride`.
  template <class Tiles, TileProduct kProduct>
  static SGLRUN_INLINE void Multiply(const char* x, std::ptrdiff_t x_stride, const char* weights,
                                     std::ptrdiff_t weight_stride) {
    Unrolled<kTall>([&](auto tall) SGLRUN_LAMBDA_INLINE {
      Tiles::template Load<kXTile + tall>(x + tall * kTileHeight * x_stride, x_stride);
    });
    Unrolled<kTall * kWide>([&](auto i) SGLRUN_LAMBDA_INLINE {
      constexpr int kRow = i % kTall, kUnit = i / kTall;
      constexpr int kWeights = kWeightTile + kUnit % 2;
      if constexpr (kRow == 0) {
        Tiles::template Load<kWeights>(weights + kUnit * kTileRowBytes, weight_stride);
      }
      Tiles::template AddProduct<kProduct, kSumTile + kRow * kWide + kUnit, kXTile + kRow,
                                 kWeights>();
    });
  }

  // The sums as [rows, kColumns] of four bytes.
  template <class Tiles>
  static SGLRUN_INLINE void Store(void* sums) {
    constexpr std::ptrdiff_t kStride = kColumns * 4;
    Unrolled<kTall * kWide>([&](auto i) SGLRUN_LAMBDA_INLINE {
      constexpr int kRow = i / kWide, kUnit = i % kWide;
      Tiles::template Store<kSumTile + i>(
          static_cast<char*>(sums) + kRow * kTileHeight * kStride + kUnit * kTileRowBytes, kStride);
    });
  }
};

// What a pass prefetches while it computes, step by step: its own panel further ahead if it is the
// panel's only reader, else its share of the next one.
struct Ahead {
  const char* from;
  std::int64_t bytes;  // a step

  Ahead(const char* panel, std::int64_t panel_bytes, std::int64_t steps, const TileOfPanel& tile,
        int pass, int passes) {
    if (tile.readers * passes == 1) {
      from = panel + kPrefetchAhead;
      bytes = steps > 0 ? panel_bytes / steps : 0;
    } else {
      const NextPanel next(panel, panel_bytes, steps, tile, pass, passes);
      from = next.from;
      bytes = next.advance;
    }
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    const char* line = from + step * bytes;
    for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(line + i, 0, 2);
  }
};

// Calls job.Multiply<Tiles, Block>(tile) for all blocks, with the tiles configured for `x_bytes` of
// a row of x. The rows of blocks differ by one at most, so one configuration, which is slow to
// load, serves a whole item: a shorter block then computes one extra row, which belongs
// to the next block, because the last block is never a shorter one. No row's sums depend on another
// row.
template <class Tiles, class Block, class Job>
void RunBlocks(const Job& job, std::int64_t rows, std::int64_t x_bytes, ThreadPool& pool) {
  const TileConfig config = Block::Config(rows, x_bytes);
  ForEachTile(pool, job.out, kBlockHeight, [&](const TileOfPanel& tile) {
    if (tile.reader == 0) Tiles::Configure(config);
    job.template Multiply<Tiles, Block>(tile);
    if (tile.reader == tile.readers - 1) Tiles::Release();
  });
}

template <class Tiles, class Job>
void ForEachBlock(const Job& job, std::int64_t x_bytes, ThreadPool& pool) {
  if (job.out.m == 0) return;
  const std::int64_t blocks = (job.out.m + kBlockHeight - 1) / kBlockHeight;
  const std::int64_t rows = (job.out.m + blocks - 1) / blocks;
  if (rows <= kTileHeight) {
    RunBlocks<Tiles, TileBlock<1, 4>>(job, rows, x_bytes, pool);
  } else {
    RunBlocks<Tiles, TileBlock<2, 2>>(job, rows, x_bytes, pool);
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
