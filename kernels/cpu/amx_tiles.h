// The instructions on matrix tiles. The kernels take this class as a parameter (amx_gemm.h); the
// tests give them another one, which computes the same in plain C++ on any machine
// (tests/kernels/emulated_tiles.h).
//
// Written as assembly and not with the compilers' intrinsics, because those of GCC 12 take a tile's
// number as a literal only, and neither tell the compiler that a load reads memory nor that a
// configuration is longer than eight bytes: it may then drop or move the stores before.
#pragma once

#include <cstddef>

#include "kernels/cpu/amx_config.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

struct MatrixTiles {
  // All tiles are zero after it.
  static SGLRUN_INLINE void Configure(const TileConfig& config) {
    asm volatile("ldtilecfg %0" ::"m"(config));
  }
  // Gives the registers back, so that a switch of threads need not save them.
  static SGLRUN_INLINE void Release() { asm volatile("tilerelease"); }

  template <int kTile>
  static SGLRUN_INLINE void Zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  // Rows `stride` bytes apart.
  template <int kTile>
  static SGLRUN_INLINE void Load(const void* from, std::ptrdiff_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kTile>
  static SGLRUN_INLINE void Store(void* to, std::ptrdiff_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(kTile) : "memory");
  }
  // sums [rows, outputs] += x [rows, steps] weights [steps, outputs], a step being four bytes.
  template <TileProduct kProduct, int kSums, int kX, int kWeights>
  static SGLRUN_INLINE void AddProduct() {
    if constexpr (kProduct == TileProduct::kBf16) {
      asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kX), "i"(kWeights));
    } else {
      asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kX), "i"(kWeights));
    }
  }
};

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
