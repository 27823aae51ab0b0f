// Matrix tiles in plain C++, step by step as Intel's manual (volume 2: LDTILECFG, TILELOADD,
// TDPBF16PS, TDPBSUD) has them, so that the kernels of kernels/cpu/amx_*.h run on any machine. What
// the processor would refuse stops the program; so does a second configuration before the first is
// given back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/amx_config.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

struct EmulatedTiles {
  static void Configure(const TileConfig& config) {
    Require(config_.palette == 0 && config.palette == 1 && config.start_row == 0);
    for (int i = 0; i < 16; ++i) {
      Require((config.rows[i] == 0) == (config.row_bytes[i] == 0));
      Require(config.rows[i] <= kTileHeight && config.row_bytes[i] <= kTileRowBytes);
      Require(i < kTiles || config.rows[i] == 0);
    }
    config_ = config;
    __builtin_memset(tiles_, 0, sizeof tiles_);
  }
  static void Release() {
    Require(config_.palette == 1);
    config_.palette = 0;
  }

  template <int kTile>
  static void Zero() {
    RequireShape(kTile);
    __builtin_memset(tiles_[kTile], 0, sizeof tiles_[kTile]);
  }
  template <int kTile>
  static void Load(const void* from, std::ptrdiff_t stride) {
    Zero<kTile>();
    for (int m = 0; m < config_.rows[kTile]; ++m) {
      __builtin_memcpy(tiles_[kTile][m], static_cast<const char*>(from) + m * stride,
                       config_.row_bytes[kTile]);
    }
  }
  template <int kTile>
  static void Store(void* to, std::ptrdiff_t stride) {
    RequireShape(kTile);
    for (int m = 0; m < config_.rows[kTile]; ++m) {
      __builtin_memcpy(static_cast<char*>(to) + m * stride, tiles_[kTile][m],
                       config_.row_bytes[kTile]);
    }
  }

  template <TileProduct kProduct, int kSums, int kX, int kWeights>
  static void AddProduct() {
    RequireShape(kSums);
    RequireShape(kX);
    RequireShape(kWeights);
    Require(config_.rows[kX] == config_.rows[kSums]);
    Require(config_.row_bytes[kX] == 4 * config_.rows[kWeights]);
    Require(config_.row_bytes[kWeights] == config_.row_bytes[kSums]);
    for (int m = 0; m < config_.rows[kSums]; ++m) {
      if constexpr (kProduct == TileProduct::kBf16) {
        AddBf16Row(tiles_[kSums][m], tiles_[kX][m], tiles_[kWeights], config_.rows[kWeights]);
      } else {
        AddInt8Row(tiles_[kSums][m], tiles_[kX][m], tiles_[kWeights], config_.rows[kWeights]);
      }
    }
  }

 private:
  static constexpr int kOutputs = kTileRowBytes / 4;
  using TileRow = std::uint32_t[kOutputs];

  static void Require(bool condition) {
    if (!condition) __builtin_trap();
  }
  static void RequireShape(int tile) { Require(config_.palette == 1 && config_.rows[tile] > 0); }

  static float Flushed(float value) {
    return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0.0f, value) : value;
  }
  // The bf16 in the low half.
  static float Widened(std::uint32_t half) {
    return Flushed(__builtin_bit_cast(float, half << 16));
  }
  static float FlushedFma(float a, float b, float c) { return Flushed(__builtin_fmaf(a, b, c)); }

  static void AddBf16Row(TileRow& sums, const TileRow& x, const TileRow* weights, int steps) {
    float even[kOutputs] = {}, odd[kOutputs] = {};
    for (int k = 0; k < steps; ++k) {
      for (int n = 0; n < kOutputs; ++n) {
        even[n] = FlushedFma(Widened(x[k]), Widened(weights[k][n]), even[n]);
        odd[n] = FlushedFma(Widened(x[k] >> 16), Widened(weights[k][n] >> 16), odd[n]);
      }
    }
    for (int n = 0; n < kOutputs; ++n) {
      const float before = Flushed(__builtin_bit_cast(float, sums[n]));
      sums[n] = __builtin_bit_cast(std::uint32_t, Flushed(before + Flushed(even[n] + odd[n])));
    }
  }

  // x with sign, weights without; sums wrap.
  static void AddInt8Row(TileRow& sums, const TileRow& x, const TileRow* weights, int steps) {
    for (int k = 0; k < steps; ++k) {
      for (int byte = 0; byte < 32; byte += 8) {
        const int factor = static_cast<std::int8_t>(x[k] >> byte & 0xFF);
        for (int n = 0; n < kOutputs; ++n) {
          sums[n] +=
              static_cast<std::uint32_t>(factor * static_cast<int>(weights[k][n] >> byte & 0xFF));
        }
      }
    }
  }

  static inline thread_local TileConfig config_ = {.palette = 0};
  static inline thread_local TileRow tiles_[kTiles][kTileHeight];
};

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
