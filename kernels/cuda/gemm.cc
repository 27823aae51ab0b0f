#include "kernels/cuda/gemm.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

using cuda::GemmParams;
using cuda::InputKind;
using cuda::WeightType;

template <WeightType kType, int kTiles, SmallForm kForm>
void LaunchSmall(const GemmParams& p, gpu::Stream stream) {
  const std::int64_t rows = HasGates(kForm) ? 32 : 16 * kTiles;
  cu::launch(GemmSmallKernel<kType, kTiles, kForm>, dim3(Blocks(p.weight.n, rows)),
             dim3(kSmallThreads), 0, stream, p);
}

template <WeightType kType, int kTiles>
void LaunchSmall(const GemmParams& p, gpu::Stream stream) {
  if (p.input.kind == InputKind::kNormed) {
    return LaunchSmall<kType, kTiles, SmallForm::kNormed>(p, stream);
  }
  if (IsAligned(p.x)) return LaunchSmall<kType, kTiles, SmallForm::kAligned>(p, stream);
  LaunchSmall<kType, kTiles, SmallForm::kPlain>(p, stream);
}

template <WeightType kType>
void GemmSmall(const GemmParams& p, gpu::Stream stream) {
  if (p.gates) {
    if (p.input.kind == InputKind::kNormed) {
      return LaunchSmall<kType, 2, SmallForm::kNormedGates>(p, stream);
    }
    return LaunchSmall<kType, 2, SmallForm::kGates>(p, stream);
  }
  // Two tiles where that still leaves a block for every multiprocessor.
  if (p.weight.n >= 8192) return LaunchSmall<kType, 2>(p, stream);
  LaunchSmall<kType, 1>(p, stream);
}

template <WeightType kType, int kTileM>
void LaunchTiled(const GemmParams& p, gpu::Stream stream) {
  static_assert(kTileN == cuda::kTileOutputs && kTileM <= cuda::kTileRows);
  const unsigned tiles_n = Blocks(p.weight.n, kTileN), tiles_m = Blocks(p.m, kTileM);
  const auto shares = static_cast<unsigned>(cuda::GemmShares(p.m, p.weight.n));
  cu::launch(GemmTiledKernel<kType, kTileM>, dim3(tiles_n, tiles_m, shares), dim3(kTiledThreads),
             TiledSharedBytes(kTileM), stream, p);
  if (shares > 1) {
    cu::launch(AddRunsKernel<GemmParams>, dim3(Blocks(p.weight.n, 128), static_cast<unsigned>(p.m)),
               dim3(128), 0, stream, p, RunSums(p), NumChunks(p.weight.k));
  }
}

template <WeightType kType>
void Gemm16(const GemmParams& p, gpu::Stream stream) {
  if (p.m <= cuda::kGemmSmallRows) return GemmSmall<kType>(p, stream);
  RoundRows({.x = p.x, .input = p.input, .m = p.m, .k = p.weight.k, .rounded = p.scratch}, stream);
  // Taking float16 apart needs the registers of the wider tile.
  if constexpr (kType == WeightType::kF16) return LaunchTiled<kType, 32>(p, stream);
  if (p.m <= 32) return LaunchTiled<kType, 32>(p, stream);
  LaunchTiled<WeightType::kBF16, 64>(p, stream);
}

// Rows of x are the grid's second axis, in blocks of `rows`; it ends at 65535.
void GemmF32(const GemmParams& p, gpu::Stream stream) {
  cu::launch(GemmF32Kernel, dim3(Blocks(p.weight.n, kF32Warps), Blocks(p.m, kGemmF32Rows)),
             dim3(kF32Warps * 32), 0, stream, p);
}

}  // namespace

void RoundRows(const cuda::RoundRowsParams& p, gpu::Stream stream) {
  const auto launch = [&](const auto& kernel) {
    cu::launch(kernel, dim3(Blocks(p.m, 1)), dim3(kRoundThreads), 0, stream, p);
  };
  if (p.input.kind == InputKind::kNormed) return launch(RoundRowsKernel<InputKind::kNormed, true>);
  if (p.input.kind == InputKind::kGated) return launch(RoundRowsKernel<InputKind::kGated, true>);
  if (IsAligned(p.x)) return launch(RoundRowsKernel<InputKind::kRows, true>);
  launch(RoundRowsKernel<InputKind::kRows, false>);
}

void Gemm(const GemmParams& p, gpu::Stream stream) {
  if (p.m == 0 || p.weight.n == 0) return;
  if (p.weight.k == 0) {
    cu::launch(GemmEmptyKernel, dim3(Blocks(p.weight.n, 128), static_cast<unsigned>(p.m)),
               dim3(128), 0, stream, p);
    return;
  }
  switch (p.weight.type) {
    case WeightType::kF32:
      return GemmF32(p, stream);
    case WeightType::kBF16:
      return Gemm16<WeightType::kBF16>(p, stream);
    case WeightType::kF16:
      return Gemm16<WeightType::kF16>(p, stream);
    case WeightType::kI8:
    case WeightType::kI4:
      return QuantGemm(p, stream);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
