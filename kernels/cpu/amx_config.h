// The shapes of matrix tiles (AMX): eight of at most 16 rows of 64 bytes, told to the processor by
// one block of 64 bytes (palette 1 of Intel's manual, volume 1, chapter 18).
#pragma once

#include <cstdint>

#include "kernels/cpu/vec.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

inline constexpr int kTiles = 8;
inline constexpr int kTileHeight = 16;    // rows
inline constexpr int kTileRowBytes = 64;  // sixteen outputs, or 32 bf16 or 64 int8 of x

// What ldtilecfg reads. A tile without rows and bytes cannot be used.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  SGLRUN_INLINE void Set(int tile, std::int64_t tile_rows, std::int64_t bytes) {
    rows[tile] = static_cast<std::uint8_t>(tile_rows);
    row_bytes[tile] = static_cast<std::uint16_t>(bytes);
  }
};
static_assert(sizeof(TileConfig) == 64);

// The products that are added to a tile of sums: bf16 pairs, or four int8 of x with four codes
// without sign.
enum class TileProduct { kBf16, kInt8 };

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
